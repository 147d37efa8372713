package sdcore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/dut/sdcore/bess"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/text/safefile"
)

// program is the running UPF, bessd and pfcpiface, with what upflab counts its packets by.
type program struct {
	*process.Group
	bess    *bess.Client
	sockets *telemetry.PacketSockets
	bessLog string // file
}

// learn finds what there is to count. On error nothing runs any more.
func learn(ctx context.Context, env dut.Env, i *dut.Instance, p *program) error {
	i.Program = p
	c, err := newCounters(ctx, p.bess, env.Site)
	if err == nil {
		p.sockets, err = telemetry.OpenPacketSockets(p.PID("bessd"))
	}
	if err != nil {
		return errors.Join(err, p.Stop())
	}
	c.sockets, i.Drops = p.sockets, c.drops
	w, err := newWorker(ctx, p.bess, c.ports)
	if err != nil {
		return errors.Join(err, p.Stop())
	}
	i.Work = w.work
	return nil
}

// Stop closes what upflab counts by, and ends both programs.
func (p *program) Stop() error {
	p.bess.Close()
	return errors.Join(p.sockets.Close(), p.Group.Stop(), shorten(p.bessLog))
}

// shorten takes BESS's list of its memory's segments out of the log: without huge
// pages it has a line of each 4 KiB, 15 MB.
func shorten(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("shorten bessd's log: %w", err)
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("Segment ")) {
			kept = append(kept, line...)
		}
	}
	return safefile.Write(path, kept, 0o644)
}
