package xdp

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// source sends from one CPU, its share of the schedule where there are others. It loads a generator for each kind of packet that is sent
// alone, and one for all mixtures, when they are first needed.
type source struct {
	config     Config
	core       core
	flows      []*traffic.Flow
	generators map[traffic.Slot]*generator
	mixture    *generator

	// Of the current trial:
	schedule traffic.Schedule
	control  generatorControl
	current  atomic.Pointer[generator]
	windows  sourceWindows
}

var _ traffic.Source = (*source)(nil)

// newSource loads the generator of the first flow's first kind of packet.
func newSource(c Config, at core) (*source, error) {
	s := &source{config: c, core: at, generators: map[traffic.Slot]*generator{}}
	for _, p := range c.Paths {
		s.flows = append(s.flows, p.Flow)
	}
	g, err := s.generator(nil)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.current.Store(g)
	return s, nil
}

// generator gives the one that sends a sequence, and loads it when it is the first
// to need it.
func (s *source) generator(q traffic.Sequence) (*generator, error) {
	if err := q.Check(s.flows); err != nil {
		return nil, err
	}
	slot, single := q.Single()
	if !single || len(s.flows[slot.Flow].Kinds()) > 1 {
		return s.mixed()
	}
	if g := s.generators[slot]; g != nil {
		return g, nil
	}
	p := s.config.Paths[slot.Flow]
	g, err := newGenerator(p.Flow, int(slot.Shape), p.Send, core{s.core.cpu, s.core.share.Alone(int(slot.Flow)), s.core.clock})
	if err != nil {
		return nil, err
	}
	g.slot, g.buffers = slot, s.config.Buffers
	s.generators[slot] = g
	return g, nil
}

func (s *source) mixed() (g *generator, err error) {
	if s.mixture == nil {
		s.mixture, err = newMixture(s.config, s.core)
	}
	return s.mixture, err
}

// Prepare implements traffic.Source: it makes the source ready for a trial with this number.
func (s *source) Prepare(schedule traffic.Schedule, trial uint16) error {
	g, err := s.generator(schedule.Sequence)
	if err != nil {
		return err
	}
	s.schedule = schedule
	if err := s.windows.begin(g, len(s.flows)); err != nil {
		return err
	}
	if s.control, err = g.prepare(schedule, trial); err != nil {
		return err
	}
	s.current.Store(g)
	return nil
}

// Send implements traffic.Source: it sends the warm-up and the trial, and returns when the last packet
// was handed over.
func (s *source) Send(ctx context.Context, m traffic.Marks) error {
	return s.current.Load().send(ctx, &s.control, s.schedule, m)
}

// Sent implements traffic.Source: it counts the packets of the trial that were sent so far.
func (s *source) Sent() uint64 { return s.current.Load().progress().Sent }

// Outcome implements traffic.Source: it gives what the source sent, and what it saw arrive.
func (s *source) Outcome() (o traffic.Outcome, err error) {
	g := s.current.Load()
	p, paced := g.progress(), s.control.Gap != 0
	o.Sent, o.Intended = p.Sent, s.intended(p)
	o.LateSlots, o.Stalls, o.Skipped = p.Late, p.Stalls, p.Skipped
	if p.Sent > 0 {
		o.Sending = traffic.Span{First: p.First, Last: p.Last}
		o.SendSeconds = o.Sending.Seconds(p.Sent)
	}
	o.BusyRatio = busy(p, paced)
	o.Lateness.Sum, o.Lateness.Min, o.Lateness.Max = p.LatenessSum, p.LatenessMin, p.LatenessMax
	if err := readArray(g.objects.Lateness, &o.Lateness); err != nil {
		return o, err
	}
	o.Flows = make([]traffic.FlowOutcome, len(s.flows))
	g.sent(p, o.Flows)
	for i, f := range s.flows {
		if o.Flows[i].SentBySession, err = g.sentBySession(uint8(i), len(f.Streams), s.control.Trial); err != nil {
			return o, err
		}
	}
	return o, nil
}

// Share implements traffic.Source: it gives the share of the sessions that this source sends to.
func (s *source) Share() traffic.Share { return s.core.share }

// intended is how many slots of the trial were the source's to send.
func (s *source) intended(p generatorProgress) uint64 {
	c, share := &s.control, s.core.share
	switch {
	case c.Gap == 0:
		return p.Sent
	case !share.Several():
		return c.Slots
	}
	var sessions []int
	for _, f := range s.flows {
		sessions = append(sessions, len(f.Streams))
	}
	return share.Slots(s.schedule.Sequence, sessions, c.Warmup, c.Slots)
}

// busy is the share of the CPU's time that sending took.
func busy(p generatorProgress, paced bool) float64 {
	switch {
	case !paced:
		return 1
	case p.Previous > p.First:
		return min(1, float64(p.Busy)/float64(p.Previous-p.First))
	}
	return 0
}

// batch is how many calls of the program are flushed together, sending or not. One is
// the most exact: sixteen hold a frame for about a microsecond, 64 for up to five. But
// the kernel keeps no more pages than a batch that come back from the DUT's side: for
// all others a new one has to be found and filled, which takes most of a core from some
// 500 kpps on.
func batch(s traffic.Schedule, buffers bool) uint16 {
	buffers = buffers && !s.Burst
	switch {
	case s.Max(), s.PPS > 600e3:
		return 64
	case buffers && s.PPS > 500e3:
		return 32
	case s.PPS > 50e3:
		return 16
	}
	return 1
}

// hold is how long the calls of one batch may wait for their slots, all together. A call that
// sends no frame takes a lock that the UPF's CPU needs for each frame, so fewer such calls are
// better; 64 calls take about as long (see batch), so frames are not held longer by it.
const hold = 4 * time.Microsecond

// Close implements traffic.Source: it frees what the source uses.
func (s *source) Close() error {
	var errs []error
	for _, g := range s.generators {
		errs = append(errs, g.close())
	}
	if s.mixture != nil {
		errs = append(errs, s.mixture.close())
	}
	errs = append(errs, s.windows.maps.close())
	return errors.Join(errs...)
}
