package dut

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

// Await waits until there reports true, the program has ended, or the time is over. It gives an error
// only when the context ends: what the program lacks, whoever uses it next finds out and explains.
func Await(ctx context.Context, p Program, within time.Duration, there func() bool) error {
	for end := time.Now().Add(within); !there(); {
		select {
		case <-p.Exited():
			return nil
		default:
		}
		if time.Now().After(end) {
			return nil
		}
		if err := wait.Pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// Listens reports whether a UDP socket has the port in the network namespace of one of the processes.
func Listens(p Program, port uint16) bool {
	local := fmt.Appendf(nil, ":%04X", port)
	for _, pid := range p.PIDs() {
		for _, table := range []string{"udp", "udp6"} {
			sockets, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
			if err == nil && hasLocal(sockets, local) {
				return true
			}
		}
	}
	return false
}

// hasLocal looks through /proc/net/udp, whose second column is the local address, for one that ends so.
func hasLocal(table, suffix []byte) bool {
	for line := range bytes.Lines(table) {
		if fields := bytes.Fields(line); len(fields) > 1 && bytes.HasSuffix(fields[1], suffix) {
			return true
		}
	}
	return false
}
