package free5gc

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
)

// guestCounters are where a guest loses packets: before it, in the socket of a
// port, and in its kernel.
type guestCounters struct {
	console process.Console
	file    string // where the guest's first program writes them
	sockets *telemetry.PacketSockets
	points  map[int]string // reference points by the index of the device
}

// drops are read around trials, when the guest has nothing else to do.
func (c *guestCounters) drops() ([]record.Count, error) {
	const asking = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	text, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	list, err := parse(text)
	if err != nil {
		return nil, err
	}
	lost, err := c.sockets.Lost()
	for index, n := range lost {
		if point, ok := c.points[index]; ok {
			list = append(list, record.Count{Place: record.Place("guest: " + point + " receive ring full"), Packets: n})
		}
	}
	return list, err
}

// read makes the guest write its counters, and returns them. Between two reads the guest
// writes nothing.
func (c *guestCounters) read(ctx context.Context) (string, error) {
	if err := os.Remove(c.file); err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("remove the guest's last counters: %w", err)
	}
	// Ctrl-Alt-Del is a signal to the first program.
	if _, err := c.console.Ask("cad"); err != nil {
		return "", err
	}
	for {
		b, err := os.ReadFile(c.file) // it is moved there when it is complete
		if err == nil {
			return string(b), nil
		}
		if wait.Pause(ctx, 2*time.Millisecond) != nil {
			return "", fmt.Errorf("the guest wrote no counters: %w", ctx.Err())
		}
	}
}
