package hosts

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/traffic"
)

// source is one of another host.
type source struct {
	host  *Host
	of    Of
	share traffic.Share
	flow  int // that it sends
	// sessions are how many each flow has.
	sessions []int

	idle     bool // the trial under way has nothing for it
	schedule traffic.Schedule
	first    atomic.Uint64 // when its trial began, ns; 0: it has not
	takes    atomic.Int64  // how long it takes, ns
	sent     atomic.Uint64
	whole    traffic.Outcome
	kept     traffic.Outcome
	windows
}

var _ traffic.Source = (*source)(nil)

// Share implements traffic.Source: it gives the share of the sessions that this source sends to.
func (s *source) Share() traffic.Share { return s.share }

// Prepare implements traffic.Source: it makes the source ready for a trial with this number.
func (s *source) Prepare(schedule traffic.Schedule, trial uint16) error {
	s.schedule, s.idle = schedule, !schedule.Sequence.Uses(uint8(s.flow))
	s.first.Store(0)
	s.sent.Store(0)
	s.takes.Store(int64(schedule.Duration))
	s.windows.begin()
	s.whole.Reset(len(s.sessions))
	s.kept.Reset(len(s.sessions))
	if s.idle {
		return nil
	}
	schedule.Excluded = nil // the leader decides
	_, err := ask[nothing](s.host.ctx, s.host, methodPrepare, preparing{s.of, schedule, trial})
	return err
}

// Send implements traffic.Source: it sends the warm-up and the trial, and returns when the last packet
// was handed over.
func (s *source) Send(ctx context.Context, m traffic.Marks) error {
	if s.idle {
		return nil
	}
	if _, err := ask[nothing](ctx, s.host, methodSend, s.of); err != nil {
		return err
	}
	err := s.follow(ctx, m)
	if err != nil && s.host.ctx.Err() == nil {
		_, _ = ask[nothing](s.host.ctx, s.host, methodStop, s.of) // the reason is known
	}
	return err
}

// follow takes the source from phase to phase.
func (s *source) follow(ctx context.Context, m traffic.Marks) error {
	for at := warming; at != ended; {
		p, err := ask[progress](ctx, s.host, methodWait, waiting{s.of, at})
		if err != nil {
			return err
		}
		if p.Phase <= at {
			continue
		}
		if at = p.Phase; p.Failed != "" {
			return fmt.Errorf("host %s: %s", s.host.Testbed, p.Failed)
		}
		if err := s.reached(ctx, p, m); err != nil {
			return err
		}
	}
	return nil
}

// startLead is how long before the first slot the mark Start is called.
const startLead = 5 * time.Millisecond

// reached calls the mark of a phase.
func (s *source) reached(ctx context.Context, p progress, m traffic.Marks) error {
	switch p.Phase {
	case quiet:
		if m.Quiet != nil {
			m.Quiet()
		}
		return s.goOn(ctx, 0)
	case agreeing:
		first := p.First
		if m.Agree != nil {
			first = m.Agree(first)
		}
		if err := s.goOn(ctx, first); err != nil {
			return err
		}
		s.first.Store(first)
		return s.start(first, m)
	}
	return nil
}

func (s *source) goOn(ctx context.Context, first uint64) error {
	_, err := ask[nothing](ctx, s.host, methodGo, starting{s.of, first})
	return err
}

// start waits for the first slot, which has to lie ahead.
func (s *source) start(first uint64, m traffic.Marks) error {
	left := time.Duration(first) - time.Duration(threads.Monotonic())
	if left < 0 {
		return fmt.Errorf("host %s was told %s too late when the trial begins: is the way to the hub that slow?", s.host.Testbed, -left)
	}
	time.Sleep(left - startLead)
	if m.Start != nil {
		m.Start()
	}
	return nil
}

// Sent implements traffic.Source: it counts the packets of the trial that were sent so far; without an
// answer it is what it was.
func (s *source) Sent() uint64 {
	if !s.idle {
		if c, err := ask[count](s.host.ctx, s.host, methodSent, s.of); err == nil {
			s.sent.Store(c.N)
		}
	}
	return s.sent.Load()
}

// Outcome implements traffic.Source: it gives what the source sent, and what it saw arrive.
func (s *source) Outcome() (o traffic.Outcome, err error) {
	if s.idle {
		return s.whole, nil
	}
	s.whole, err = ask[traffic.Outcome](s.host.ctx, s.host, methodSource, s.of)
	if n := len(s.whole.Flows); err == nil && n > len(s.sessions) {
		err = fmt.Errorf("host %s: an outcome of %d flows", s.host.Testbed, n)
	}
	return s.whole, err
}

// late is by how much the first packet of the trial was, ns.
func (s *source) late() uint64 {
	sent, first := s.whole.Sending.First, s.first.Load()
	if sent == 0 || first == 0 {
		return 0
	}
	if !s.schedule.Max() {
		first += uint64(s.schedule.Span(s.slot()))
	}
	return sent - min(sent, first)
}

// slot gives the first slot of the trial, after the warm-up, that this source sends in.
func (s *source) slot() uint64 {
	turns := make([]int, len(s.sessions))
	for flow, n := range s.sessions {
		turns[flow] = int(s.schedule.Sequence.Count(uint8(flow), s.schedule.Slots(s.schedule.Warmup)) % uint64(n))
	}
	for n := uint64(0); n < traffic.MaxSequence; n++ {
		flow := int(s.schedule.Sequence.At(n).Flow)
		if s.share.Owner(flow, turns[flow]) == s.share.Source {
			return n
		}
		turns[flow] = (turns[flow] + 1) % s.sessions[flow]
	}
	return 0
}

// Span implements traffic.Source: it gives when the first slot of the trial is due and when
// the gap of its last one ends.
func (s *source) Span() (first, end uint64) {
	if first = s.first.Load(); first == 0 {
		return 0, 0
	}
	return first, first + uint64(s.schedule.Lasts(time.Duration(s.takes.Load())))
}

// Extend implements traffic.Source: it lets the trial take this long in all, counted from its
// first slot.
func (s *source) Extend(d time.Duration) error {
	if s.idle || int64(d) <= s.takes.Load() {
		return nil
	}
	s.takes.Store(int64(d))
	_, err := ask[nothing](s.host.ctx, s.host, methodExtend, extending{s.of, d})
	return err
}

// Windows implements traffic.Windowed: it switches counting by windows on or off for the trials to
// come.
func (s *source) Windows(on bool) (bool, error) { return s.windows.turn(s.host, s.of, on) }

// Complete implements traffic.Windowed: it reports whether all that was due in the window was counted.
func (s *source) Complete(id uint64) bool { return s.idle || s.windows.complete(s.host, s.of, id) }

// Fold implements traffic.Windowed: it adds what the window counted to what is kept or to what is
// excluded.
func (s *source) Fold(id uint64, keep bool) {
	if !s.idle {
		s.windows.fold(s.host, s.of, id, keep)
	}
}

// Counted implements traffic.Source: it gives what was counted in the windows that were kept
// and in the others.
func (s *source) Counted() (kept, excluded traffic.Outcome) {
	excluded.Reset(len(s.sessions))
	if s.idle {
		return s.kept, excluded
	}
	c, err := s.windows.counted(s.host, s.of)
	if err != nil {
		return s.kept, excluded // Group asked for the outcome before: the host is lost
	}
	s.kept = c.Sent
	return c.Sent, c.SentElse
}

// Close implements traffic.Source: the host closes all it has together.
func (s *source) Close() error { return nil }
