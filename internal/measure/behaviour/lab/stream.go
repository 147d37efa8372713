package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// settled is how long after its last packet a stream waits: for stragglers, and until
// what disturbed the CPUs is known.
const settled = 250 * time.Millisecond

// canStream reports whether a lab has CPUs to send from, and may send by XDP live frames.
func canStream(c Config) bool {
	return c.Streams && c.Scenario.Engine != scenario.EngineAFPacket && xdp.Available() == nil
}

// streamer sends from inside the kernel.
type streamer struct {
	bench  *bench.Bench
	ends   *ends
	net    *behaviour.Net
	able   bool // it can, and that arrives
	pinned bool // the kernel's receive work for the UPF has the CPUs of streams
}

// reach finds out whether what it sends arrives at a UPF that runs elsewhere.
func (st *streamer) reach() {
	if st.able && !st.bench.Owns() {
		links := st.bench.Site().Links()
		st.able = xdp.Reaches(links.GNB, links.UPFN3.Addr) == nil && xdp.Reaches(links.DNN6, links.UPFN6.Addr) == nil
	}
}

// stream sends by XDP live frames.
func (st *streamer) stream(ctx context.Context, s behaviour.Stream) (list []behaviour.Fate, err error) {
	if !st.pinned {
		if err := st.pin(); err != nil {
			return nil, err
		}
	}
	if err := st.ends.passNone(); err != nil { // the recorder has a program of its own there
		return nil, err
	}
	defer func() { err = errors.Join(err, st.ends.passAll()) }()
	path := st.path(&s)
	schedule := traffic.Schedule{PPS: s.PPS, Duration: s.For, Sequence: inTurn(path.Flow)}
	recorder, err := xdp.OpenRecorder(xdp.RecorderConfig{
		Path: path, CPU: st.bench.Placement.Generator, Settle: settled, Buffers: st.bench.Endpoint.XDP != dut.NativeXDP,
		Packets: int(schedule.Slots(s.For)),
	})
	if err != nil {
		return nil, fmt.Errorf("send a stream of %.0f packets/s: %w", s.PPS, err)
	}
	defer func() { err = errors.Join(err, recorder.Close()) }()
	disturbed, stop, err := st.watch()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	passages, _, err := recorder.Record(ctx, schedule)
	if err != nil {
		return nil, err
	}
	return fates(&s, passages, disturbed), nil
}

// path is the frames of a stream, and where they go. Its T-PDUs have the same length in either family. Of UEs with both
// the flows have two rounds, and each sends from its other address in the second.
func (st *streamer) path(s *behaviour.Stream) xdp.Path {
	direction := record.Downlink
	if s.Up {
		direction = record.Uplink
	}
	net, at := st.net, st.bench.Site().Links().Path(direction)
	f := &traffic.Flow{
		Direction: direction, GNB: net.GNB[0], UPF: net.UPF, DN: net.DN[0], DN6: net.Six.DN, QFI: s.Flows[0].QFI,
		Source: at.Send.MAC, Destination: at.UPF.MAC,
	}
	for round := range net.UEs.Family.Addresses() {
		for i, x := range s.Flows {
			stream := traffic.Stream{UE: x.UE.Addr, UplinkTEID: x.UE.TEID, DownlinkTEID: x.UE.Tunnel, QFI: x.QFI}
			if x.UE.Second.IsValid() && (round+i)%2 == 1 {
				stream.UE = x.UE.Second
			}
			f.Streams = append(f.Streams, stream)
		}
	}
	for _, kind := range f.Kinds() {
		f.Shapes = append(f.Shapes, traffic.Shape{Payload: max(s.Octets-traffic.LayoutOf(kind.UE).Bytes-8, 32),
			SourcePort: behaviour.LocalPort, DestinationPort: behaviour.RemotePort})
	}
	return xdp.Path{Flow: f, Send: at.Send, Receive: at.Arrive}
}

// inTurn is the shape of each stream's packets, where families have shapes of their own; nil: all have one.
func inTurn(f *traffic.Flow) (q traffic.Sequence) {
	if len(f.Shapes) == 1 {
		return nil
	}
	for _, stream := range f.Streams {
		slot := traffic.Slot{}
		if stream.UE.Is6() {
			slot.Shape = 1
		}
		q = append(q, slot)
	}
	return q
}

// watch begins to watch the CPUs of the run. Where that is not possible nothing is
// disturbed.
func (st *streamer) watch() (disturbed func(from, to uint64) bool, stop func() error, err error) {
	p := st.bench.Placement
	m, err := disturbance.Watch(disturbance.Config{
		Generators: p.Senders(), Others: append(slices.Clone(p.DUT), p.Sink), Ours: append(slices.Clone(st.bench.Instance().PIDs()), st.bench.Subject.NAPI...),
	})
	var none *disturbance.NotAvailable
	if errors.As(err, &none) {
		return func(uint64, uint64) bool { return false }, func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return m.Excluded, m.Close, nil
}

// slice is in what parts a stream is asked about, ns.
const slice = 1e6

// late is from when on a packet is one with which the sender catches up, ns.
const late = 5e5

// fates says of each packet what became of it.
func fates(s *behaviour.Stream, passages []traffic.Transit, disturbed func(from, to uint64) bool) []behaviour.Fate {
	list := make([]behaviour.Fate, len(passages))
	now, base := time.Now(), int64(threads.Monotonic())
	clock := func(ns uint64) time.Time { return now.Add(time.Duration(int64(ns) - base)) }
	var until uint64
	var bad bool
	for i, p := range passages {
		if p.Sent >= until {
			from := p.Sent - p.Sent%slice
			until = from + slice
			bad = disturbed(from, until)
		}
		f := &list[i]
		f.Octets, f.Up, f.Flow, f.Disturbed, f.Sent = s.Octets, s.Up, i%len(s.Flows), bad, clock(p.Sent)
		f.Late = p.Sent-p.Due > late
		if p.Arrived != 0 {
			f.Arrived = clock(p.Arrived)
		}
	}
	return list
}

// pin gives the kernel's receive work for the UPF a CPU of its own, as in a trial: else the
// UPF's XDP program would run where it is sent from. The UPF has its programs at the ports
// by now.
func (st *streamer) pin() error {
	b := st.bench
	if !b.PinsReceive() || !b.Owns() {
		return nil
	}
	err := b.PrepareReceive(site.Receive{NAPI: b.Endpoint.XDP != dut.NativeXDP, SinkNAPI: true, UPF: b.ReceiveCPUs(b.Placement.Sink)})
	st.pinned = err == nil
	return err
}
