package hosts

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// Config of an engine.
type Config struct {
	// Flows are uplink and downlink, with the UPF's addresses as their destination.
	Flows [2]traffic.Flow
	// GNBs are the addresses of the generators, in their order.
	GNBs []netip.Addr
	// OneGNB: what is measured knows one gNB alone, as wire does. All generators send by the
	// first one's address, and the first receives all downlink packets.
	OneGNB  bool
	Settle  time.Duration // wait for stragglers after the last frame
	Buffers bool          // xdp.Config's
	AFXDP   bool          // sources send by AF_XDP sockets rather than by XDP
}

// The flows of an engine.
const (
	uplink   = 0
	downlink = 1
)

// Engine sends and receives on all hosts.
type Engine struct {
	traffic.Group
	session *Session
	sources []*source
	sinks   []*sink // of the gNBs, then of the data network
}

var _ traffic.Engine = (*Engine)(nil)

// lanes are the hosts, by their number, of the CPUs that send uplink packets.
func (s *Session) lanes() (list []int) {
	for i, h := range s.Generators {
		for range h.Facts.CPUs {
			list = append(list, i)
		}
	}
	return list
}

// GNBOf is which generator sends, and receives, the packets of a session.
func (s *Session) GNBOf(session int) int {
	lanes := s.lanes()
	return lanes[session%len(lanes)]
}

// Engine has all hosts load what sends and receives. Close it when done; the session stays.
func (s *Session) Engine(ctx context.Context, c Config) (*Engine, error) {
	up, down := len(s.lanes()), len(s.Sink.Facts.CPUs)
	share := traffic.Share{Of: up + down, Lanes: []int{up, down}, First: []int{0, up}}
	e := &Engine{Group: traffic.Group{Settle: c.Settle}, session: s}
	gnbs := &traffic.SplitSink{Owner: s.GNBOf}
	if c.OneGNB {
		gnbs.Owner = func(int) int { return 0 }
	}
	for i, h := range s.Generators {
		flows := c.Flows
		if !c.OneGNB {
			flows[uplink].GNB, flows[downlink].GNB = c.GNBs[i], c.GNBs[i]
		}
		arrives := []int{downlink}
		if c.OneGNB && i > 0 {
			arrives = nil
		}
		if err := e.load(ctx, h, loading{Flows: slices.Clone(flows[:]), Sinks: arrives, Buffers: c.Buffers,
			AFXDP: c.AFXDP, Back: lanes{1, 1}}, uplink, &share); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	for _, k := range e.sinks {
		gnbs.Parts = append(gnbs.Parts, k)
	}
	if err := e.load(ctx, s.Sink, loading{Flows: slices.Clone(c.Flows[:]), Sinks: []int{uplink}, Buffers: c.Buffers,
		AFXDP: c.AFXDP, Back: s.returning(c.OneGNB)}, downlink, &share); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.Sinks = []traffic.Sink{e.sinks[len(e.sinks)-1], gnbs}
	return e, nil
}

// load has a host load its sources, which send one flow, and its sinks. The share is that of
// the next source.
func (e *Engine) load(ctx context.Context, h *Host, q loading, sends int, share *traffic.Share) error {
	q.Sends = sends
	q.Flows[sends].Source, q.Flows[1-sends].Expect.MAC = h.Facts.MAC, h.Facts.MAC
	for n := range h.Facts.CPUs {
		q.Shares = append(q.Shares, *share)
		src := &source{host: h, of: Of{N: n}, share: *share, flow: sends}
		for _, f := range q.Flows {
			src.sessions = append(src.sessions, len(f.Streams))
		}
		e.sources, e.Sources = append(e.sources, src), append(e.Sources, src)
		share.Source++
	}
	q.Streams = packStreams(q.Flows[sends].Streams)
	for i := range q.Flows {
		q.Flows[i].Streams = nil
	}
	for n := range q.Sinks {
		e.sinks = append(e.sinks, &sink{host: h, of: Of{Sink: true, N: n}})
	}
	_, err := ask[nothing](ctx, h, methodLoad, q)
	return err
}

// Run implements traffic.Engine: it sends by the schedule and returns when the last frame had time to
// arrive. A host that is lost ends it, with a LostError.
func (e *Engine) Run(ctx context.Context, s traffic.Schedule, m traffic.Marks) (traffic.Outcome, error) {
	if lost := e.session.Lost(); lost != nil {
		return traffic.Outcome{}, lost
	}
	if err := e.session.setClocks(ctx); err != nil {
		return traffic.Outcome{}, err
	}
	e.sendBack(&s)
	running, stop := e.session.untilLost(ctx)
	defer stop()
	o, err := e.Group.Run(running, s, m)
	if lost := e.session.Lost(); lost != nil {
		return o, lost
	}
	return o, err
}

// Close implements traffic.Engine: it frees the ports.
func (e *Engine) Close() error {
	var errs []error
	for _, h := range e.session.Hosts() {
		if h.ctx.Err() == nil {
			_, err := ask[nothing](h.ctx, h, methodLoad, loading{})
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
