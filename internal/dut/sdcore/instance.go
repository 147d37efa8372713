package sdcore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/process"
	"github.com/upflab/upflab/internal/dut/sdcore/bess"
	"github.com/upflab/upflab/internal/safefile"
	"github.com/upflab/upflab/internal/telemetry"
)

// instance is a running UPF that reports its work.
type instance struct {
	*process.GroupInstance
	bess    *bess.Client
	sockets *telemetry.PacketSockets
	log     string // bessd's
}

// newInstance learns what there is to count. On error nothing runs any more.
func newInstance(ctx context.Context, env dut.Env, client *bess.Client, group *process.GroupInstance) (dut.Instance, error) {
	i := &instance{GroupInstance: group, bess: client, log: filepath.Join(env.Dir, "bessd.log")}
	if err := i.learn(ctx, env); err != nil {
		return nil, errors.Join(err, i.Stop())
	}
	return i, nil
}

func (i *instance) learn(ctx context.Context, env dut.Env) (err error) {
	c, err := newCounters(ctx, i.bess, env.Site)
	if err != nil {
		return err
	}
	if i.sockets, err = telemetry.OpenPacketSockets(i.PID("bessd")); err != nil {
		return err
	}
	c.sockets, i.Counters = i.sockets, c.drops
	w, err := newWorker(ctx, i.bess, c.ports)
	if err == nil {
		i.Work = w.work
	}
	return err
}

// Stop is dut.Instance's.
func (i *instance) Stop() error {
	i.bess.Close()
	var err error
	if i.sockets != nil {
		err = i.sockets.Close()
	}
	return errors.Join(err, i.GroupInstance.Stop(), shorten(i.log))
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
