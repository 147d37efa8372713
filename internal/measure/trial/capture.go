package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/capture"
)

// PacketsFile is what a DUT's captured packets are called in its folder.
const PacketsFile = "packets.pcapng"

// tap captures a DUT's packets.
type tap struct {
	up      *bench.Up
	packets int // of each hop
	capture *capture.Capture
}

// newTap prepares to capture a DUT's packets, once: a second visit sees the same. nil: none are asked for.
func newTap(up *bench.Up, packets int, out *record.DUT) *tap {
	captured := func(file string) bool { return filepath.Base(file) == PacketsFile }
	if packets == 0 || slices.ContainsFunc(out.Files, captured) {
		return nil
	}
	return &tap{up: up, packets: packets, capture: capture.New(packets)}
}

// tapN4 begins to capture N4, before there is anything to see.
func (t *tap) tapN4() error {
	if !t.up.Endpoint.HasN4() || !t.up.Site().Links().SMFN4.Readable() {
		return nil
	}
	return t.capture.Tap(capture.Hop{Name: "N4", Port: t.up.Site().Links().SMFN4})
}

// probe has packets probe the DUT and writes what each hop saw of it and of
// as many packets more as are wanted. Nothing is captured after it: it would cost a
// trial. What a probe that failed left is written too.
func (t *tap) probe(ctx context.Context, p *prober, out *record.DUT) error {
	list, err := t.capturedHops()
	if err != nil {
		return err
	}
	if err := t.capture.Trace(list); err != nil {
		return err
	}
	err = p.probe(ctx)
	if err == nil {
		err = p.send(ctx, t.packets)
	}
	path := filepath.Join(t.up.Dir, PacketsFile)
	out.Files = record.AppendNew(out.Files, t.up.Relative(path))
	out.Remarks = append(out.Remarks, t.capture.Notes...)
	return errors.Join(err, t.capture.Write(path))
}

// send sends packets to be captured.
func (pr *prober) send(ctx context.Context, packets int) error {
	const pps = 1000
	for _, d := range ways(pr.up.Scenario) {
		s := traffic.Schedule{PPS: pps, Duration: time.Duration(packets) * time.Second / pps,
			Sequence: pr.engine.Packets(pr.up.Scenario.PacketSizes()[0], d)}
		if _, err := pr.engine.Run(ctx, s, traffic.Marks{}); err != nil {
			return fmt.Errorf("send packets to capture: %w", err)
		}
	}
	return nil
}

// capturedHops are the ports that user packets pass, in their order uplink. Those of a UPF
// elsewhere cannot be looked at.
func (t *tap) capturedHops() ([]capture.Hop, error) {
	l := t.up.Site().Links()
	if !l.UPFN3.Readable() {
		return []capture.Hop{{Name: "gNB N3", Port: l.GNB, Peer: -1}, {Name: "DN N6", Port: l.DNN6, Peer: -1}}, nil
	}
	list := []capture.Hop{
		{Name: "gNB N3", Port: l.GNB, Peer: 1, Unseen: true}, {Name: "UPF N3", Port: l.UPFN3, Peer: 0},
		{Name: "UPF N6", Port: l.UPFN6, Peer: 3}, {Name: "DN N6", Port: l.DNN6, Peer: 2, Unseen: true},
	}
	if !l.GNB.Readable() { // the tester's are on other hosts
		list = []capture.Hop{{Name: "UPF N3", Port: l.UPFN3, Peer: -1}, {Name: "UPF N6", Port: l.UPFN6, Peer: -1}}
		return list, t.seen(list)
	}
	return list, t.seen(list[1:3])
}

// seen notes at which ports of the UPF what it sends is not seen: where it sends by XDP.
func (t *tap) seen(list []capture.Hop) error {
	for i := range list { // where it receives by XDP it sends so
		program, err := list[i].Port.XDP().Program()
		if err != nil {
			return err
		}
		list[i].Unseen = program != 0 || t.up.Endpoint.XDP == dut.SendXDP
	}
	return nil
}
