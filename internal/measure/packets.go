package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/capture"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// packetsFile is what a DUT's captured packets are called in its folder.
const packetsFile = "packets.pcapng"

// capturing prepares to capture a DUT's packets, once: a second visit sees the same.
func (r *run) capturing(out *record.DUT) *capture.Capture {
	captured := func(file string) bool { return filepath.Base(file) == packetsFile }
	if r.plan.Packets == 0 || slices.ContainsFunc(out.Files, captured) {
		return nil
	}
	return capture.New(r.plan.Packets)
}

// tapN4 begins to capture N4, before there is anything to see.
func (b *bench) tapN4() error {
	if b.packets == nil || b.endpoint.Wire || !b.site.Links().SMFN4.Readable() {
		return nil
	}
	return b.packets.Tap(capture.Hop{Name: "N4", Port: b.site.Links().SMFN4})
}

// setUpN4 begins to watch N4 and associates.
func (b *bench) setUpN4(ctx context.Context, setup *record.Setup) error {
	if err := b.tapN4(); err != nil {
		return err
	}
	return b.associate(ctx, setup)
}

// probeAndCapture probes and, if that is asked, writes what each hop saw of it and of
// as many packets more as are wanted. Nothing is captured after it: it would cost a
// trial. What a probe that failed left is written too.
func (r *run) probeAndCapture(ctx context.Context, b *bench, dir string, out *record.DUT) error {
	if b.packets == nil {
		return b.probe(ctx)
	}
	list, err := b.capturedHops()
	if err != nil {
		return err
	}
	if err := b.packets.Trace(list); err != nil {
		return err
	}
	err = b.probe(ctx)
	if err == nil {
		err = b.sendToCapture(ctx, r.plan.Packets)
	}
	path := filepath.Join(dir, packetsFile)
	if rel, err := filepath.Rel(r.plan.Dir, path); err == nil {
		out.Files = appendNew(out.Files, rel)
	}
	out.Remarks = append(out.Remarks, b.packets.Notes...)
	return errors.Join(err, b.packets.Write(path))
}

func (b *bench) sendToCapture(ctx context.Context, packets int) error {
	const pps = 1000
	for _, d := range ways(b.scenario) {
		s := traffic.Schedule{PPS: pps, Duration: time.Duration(packets) * time.Second / pps,
			Sequence: sequence(b.flows, b.scenario.PacketSizes()[0], d)}
		if _, err := b.engine.Run(ctx, s, traffic.Marks{}); err != nil {
			return fmt.Errorf("send packets to capture: %w", err)
		}
	}
	return nil
}

// capturedHops are the ports that user packets pass, in their order uplink. Those of a UPF
// elsewhere cannot be looked at.
func (b *bench) capturedHops() ([]capture.Hop, error) {
	l := b.site.Links()
	if !l.UPFN3.Readable() {
		return []capture.Hop{{Name: "gNB N3", Port: l.GNB, Peer: -1}, {Name: "DN N6", Port: l.DNN6, Peer: -1}}, nil
	}
	list := []capture.Hop{
		{Name: "gNB N3", Port: l.GNB, Peer: 1, Unseen: true}, {Name: "UPF N3", Port: l.UPFN3, Peer: 0},
		{Name: "UPF N6", Port: l.UPFN6, Peer: 3}, {Name: "DN N6", Port: l.DNN6, Peer: 2, Unseen: true},
	}
	for i := 1; i <= 2; i++ { // the UPF sends by XDP where it receives so
		program, err := list[i].Port.XDPProgram()
		if err != nil {
			return nil, err
		}
		list[i].Unseen = program != 0
	}
	return list, nil
}
