package hosts

import (
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// answer answers what a leader asks in a measurement.
func (s *membership) answer(method string, body []byte) ([]byte, error) {
	switch method {
	case methodAlive:
		return handle(body, func(nothing) (nothing, error) { return nothing{}, nil })
	case methodClock:
		return handle(body, func(nothing) (Reading, error) { return s.clock(), nil })
	case methodMove:
		return handle(body, func(q moving) (a nothing, err error) { s.port.clock.Move(q.By); return })
	case methodFind:
		return handle(body, func(q finding) (a found, err error) {
			a.MAC, err = netdev.ResolveMAC(s.port.Port, q.Address)
			return a, err
		})
	case methodLoad:
		return handle(body, func(q loading) (a nothing, err error) { return a, s.load(q) })
	}
	g, err := s.loaded()
	if err != nil {
		return nil, err
	}
	if answer, known, err := s.sending(g, method, body); known {
		return answer, err
	}
	if answer, known, err := g.receiving(method, body); known {
		return answer, err
	}
	return g.windows(method, body)
}

// sending answers what is asked of sources; known is false where it is something else.
func (s *membership) sending(g *endpoint, method string, body []byte) (answer []byte, known bool, err error) {
	switch method {
	case methodPrepare:
		answer, err = handle(body, g.prepare)
	case methodSend:
		answer, err = handle(body, ofSource(g, func(r *running) (a nothing, err error) { return a, r.send(s.ctx) }))
	case methodWait:
		answer, err = handle(body, func(q waiting) (p progress, err error) {
			r, err := g.source(q.Of)
			if err != nil {
				return p, err
			}
			return r.wait(q.After), nil
		})
	case methodGo:
		answer, err = handle(body, func(q starting) (a nothing, err error) {
			r, err := g.source(q.Of)
			if err != nil {
				return a, err
			}
			return a, r.start(q.First)
		})
	case methodStop:
		answer, err = handle(body, ofSource(g, func(r *running) (a nothing, err error) { r.stop(); return }))
	case methodSent:
		answer, err = handle(body, ofSource(g, func(r *running) (count, error) { return count{r.source.Sent()}, nil }))
	case methodSource:
		answer, err = handle(body, ofSource(g, func(r *running) (traffic.Outcome, error) { return r.source.Outcome() }))
	default:
		return nil, false, nil
	}
	return answer, true, err
}

// ofSource is a question to a source.
func ofSource[A any](g *endpoint, do func(*running) (A, error)) func(Of) (A, error) {
	return func(q Of) (a A, err error) {
		r, err := g.source(q)
		if err != nil {
			return a, err
		}
		return do(r)
	}
}

func (g *endpoint) prepare(q preparing) (a nothing, err error) {
	r, err := g.source(q.Of)
	if err != nil {
		return a, err
	}
	if q.Schedule.PPS < 0 || q.Schedule.Duration < 0 || q.Schedule.Warmup < 0 {
		return a, errors.New("a schedule with a negative rate or duration")
	}
	if g.monitor != nil {
		g.monitor.Begin()
	}
	return a, r.source.Prepare(q.Schedule, q.Trial)
}

// receiving answers what is asked of sinks.
func (g *endpoint) receiving(method string, body []byte) (answer []byte, known bool, err error) {
	switch method {
	case methodBegin:
		answer, err = handle(body, func(q beginning) (a nothing, err error) {
			s, err := g.sink(q.Of)
			if err != nil {
				return a, err
			}
			return a, errors.Join(s.SendBack(q.Back), s.Begin(q.Trial))
		})
	case methodArrived:
		answer, err = handle(body, ofSink(g, func(s traffic.Sink) (count, error) { return count{s.Received()}, nil }))
	case methodLatency:
		answer, err = handle(body, ofSink(g, func(s traffic.Sink) (h traffic.Histogram, err error) { return h, s.AddLatency(&h) }))
	case methodSink:
		answer, err = handle(body, func(q arriving) (o traffic.FlowOutcome, err error) {
			s, err := g.sink(q.Of)
			if err != nil {
				return o, err
			}
			return s.Outcome(q.Sent)
		})
	default:
		return nil, false, nil
	}
	return answer, true, err
}

// ofSink is a question to a sink.
func ofSink[A any](g *endpoint, do func(traffic.Sink) (A, error)) func(Of) (A, error) {
	return func(q Of) (a A, err error) {
		s, err := g.sink(q)
		if err != nil {
			return a, err
		}
		return do(s)
	}
}

// windows answers what is asked of counting by windows.
func (g *endpoint) windows(method string, body []byte) ([]byte, error) {
	switch method {
	case methodWindows:
		return handle(body, func(q switching) (a ability, err error) {
			p, err := g.part(q.Of)
			if err != nil {
				return a, err
			}
			a.Can, err = p.Windows(q.On)
			return a, err
		})
	case methodLook:
		return handle(body, g.look)
	case methodExtend:
		return handle(body, func(q extending) (a nothing, err error) {
			r, err := g.source(q.Of)
			if err != nil {
				return a, err
			}
			return a, r.source.Extend(q.By)
		})
	case methodCounted:
		return handle(body, g.counted)
	}
	return nil, fmt.Errorf("a host is asked for %q, which this upflab does not know: use one version everywhere", method)
}

func (g *endpoint) counted(q Of) (c countedOutcome, err error) {
	if q.Sink {
		s, err := g.sink(q)
		if err == nil {
			c.Received, c.ReceivedElse = s.Counted()
		}
		return c, err
	}
	r, err := g.source(q)
	if err == nil {
		c.Sent, c.SentElse = r.source.Counted()
	}
	return c, err
}

const (
	// lookMost is how many windows are looked at together.
	lookMost = window.Size
	// lookAfter is how long after its end a window is looked at unasked.
	lookAfter = 200 * time.Millisecond
)

// look folds windows, and says which others are good.
func (g *endpoint) look(q looking) (l looked, err error) {
	p, err := g.part(q.Of)
	if err != nil {
		return l, err
	}
	for _, f := range q.Fold {
		p.Fold(f.ID, f.Keep)
	}
	if q.From == 0 {
		return l, nil
	}
	by := g.port.now() - uint64(lookAfter)
	for id := q.From; len(l.Good) < lookMost; id++ {
		if _, end := window.Bounds(id); len(l.Good) > 0 && end > by {
			break
		}
		l.Good = append(l.Good, p.Complete(id) && !g.disturbed(id))
	}
	return l, nil
}

// disturbed reports whether this host was in a window of the time that all have in common.
func (g *endpoint) disturbed(id uint64) bool {
	from, to := window.Bounds(id)
	ahead := g.port.ahead()
	return g.monitor != nil && g.monitor.Excluded(from-ahead, to-ahead)
}
