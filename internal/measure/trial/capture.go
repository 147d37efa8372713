package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/capture"
)

// PacketsFile is what a DUT's captured packets are called in its folder.
const PacketsFile = "packets.pcapng"

// capturing prepares to capture a DUT's packets, once: a second visit sees the same.
func (dp *Deployment) capturing(out *record.DUT) *capture.Capture {
	captured := func(file string) bool { return filepath.Base(file) == PacketsFile }
	if dp.Packets == 0 || slices.ContainsFunc(out.Files, captured) {
		return nil
	}
	return capture.New(dp.Packets)
}

// tapN4 begins to capture N4, before there is anything to see.
func (dp *Deployment) tapN4() error {
	if dp.packets == nil || !dp.Endpoint.HasN4() || !dp.site.Links().SMFN4.Readable() {
		return nil
	}
	return dp.packets.Tap(capture.Hop{Name: "N4", Port: dp.site.Links().SMFN4})
}

// setUpN4 begins to watch N4 and associates.
func (dp *Deployment) setUpN4(ctx context.Context, setup *record.Setup) error {
	if err := dp.tapN4(); err != nil {
		return err
	}
	return dp.associate(ctx, setup)
}

// probeAndCapture probes and, if that is asked, writes what each hop saw of it and of
// as many packets more as are wanted. Nothing is captured after it: it would cost a
// trial. What a probe that failed left is written too.
func (dp *Deployment) probeAndCapture(ctx context.Context, out *record.DUT) error {
	if dp.packets == nil {
		return dp.probe(ctx)
	}
	list, err := dp.capturedHops()
	if err != nil {
		return err
	}
	if err := dp.packets.Trace(list); err != nil {
		return err
	}
	err = dp.probe(ctx)
	if err == nil {
		err = dp.sendToCapture(ctx, dp.Packets)
	}
	path := filepath.Join(dp.Dir, PacketsFile)
	out.Files = AppendNew(out.Files, dp.relative(path))
	out.Remarks = append(out.Remarks, dp.packets.Notes...)
	return errors.Join(err, dp.packets.Write(path))
}

func (dp *Deployment) sendToCapture(ctx context.Context, packets int) error {
	const pps = 1000
	for _, d := range ways(dp.Scenario) {
		s := traffic.Schedule{PPS: pps, Duration: time.Duration(packets) * time.Second / pps,
			Sequence: sequence(dp.flows, dp.Scenario.PacketSizes()[0], d)}
		if _, err := dp.engine.Run(ctx, s, traffic.Marks{}); err != nil {
			return fmt.Errorf("send packets to capture: %w", err)
		}
	}
	return nil
}

// capturedHops are the ports that user packets pass, in their order uplink. Those of a UPF
// elsewhere cannot be looked at.
func (dp *Deployment) capturedHops() ([]capture.Hop, error) {
	l := dp.site.Links()
	if !l.UPFN3.Readable() {
		return []capture.Hop{{Name: "gNB N3", Port: l.GNB, Peer: -1}, {Name: "DN N6", Port: l.DNN6, Peer: -1}}, nil
	}
	list := []capture.Hop{
		{Name: "gNB N3", Port: l.GNB, Peer: 1, Unseen: true}, {Name: "UPF N3", Port: l.UPFN3, Peer: 0},
		{Name: "UPF N6", Port: l.UPFN6, Peer: 3}, {Name: "DN N6", Port: l.DNN6, Peer: 2, Unseen: true},
	}
	if !l.GNB.Readable() { // the tester's are on other hosts
		list = []capture.Hop{{Name: "UPF N3", Port: l.UPFN3, Peer: -1}, {Name: "UPF N6", Port: l.UPFN6, Peer: -1}}
		return list, dp.seen(list)
	}
	return list, dp.seen(list[1:3])
}

// seen notes at which ports of the UPF what it sends is not seen: where it sends by XDP.
func (dp *Deployment) seen(list []capture.Hop) error {
	for i := range list { // where it receives by XDP it sends so
		program, err := list[i].Port.XDP().Program()
		if err != nil {
			return err
		}
		list[i].Unseen = program != 0 || dp.Endpoint.XDP == dut.SendXDP
	}
	return nil
}
