package appflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/upflab/upflab/internal/lab/apps"
	"github.com/upflab/upflab/internal/lab/apps/iperf3"
)

// listenWithin is how long a server may take until it listens.
const listenWithin = 5 * time.Second

// listening waits until a program's namespace has a TCP socket that listens at a port. A
// connection to find out would be the one that the server waits for.
func listening(ctx context.Context, p *apps.Program, port uint16) error {
	ctx, cancel := context.WithTimeout(ctx, listenWithin)
	defer cancel()
	for {
		if listens(p.PID, port) {
			return nil
		}
		select {
		case <-ctx.Done():
			out, _ := p.Stop()
			why := errors.New(out.Stderr)
			if _, err := iperf3.Parse(out.Stdout); err != nil && len(out.Stdout) > 0 {
				why = err
			}
			return fmt.Errorf("%s did not listen on port %d within %v: %w", p.Name, port, listenWithin, why)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// listens looks for the socket: in /proc/PID/net/tcp the state of one that listens is 0A.
func listens(pid int, port uint16) bool {
	for _, name := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, name))
		if err != nil {
			continue
		}
		for line := range bytes.Lines(text) {
			f := bytes.Fields(line)
			if len(f) > 3 && string(f[3]) == "0A" && bytes.HasSuffix(f[1], fmt.Appendf(nil, ":%04X", port)) {
				return true
			}
		}
	}
	return false
}
