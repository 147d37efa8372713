package hosts

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/socket/threads"
)

// silentFor is how long a part goes on without hearing of its leader.
const silentFor = 8 * time.Second

// Follower takes part in measurements on this host, in one at a time. What it makes is gone
// when the measurement is closed, or its leader is not heard of for 8 s.
type Follower struct {
	// Admit is asked before the host takes part with one of its network interfaces, and may
	// refuse; what it gives is called when the measurement has ended. nil: the host is always free.
	Admit func(leader, device string) (release func(), err error)

	clock func() Reading // nil: this host's; tests have others

	mu  sync.Mutex
	now *membership
}

// membership is one measurement on this host.
type membership struct {
	id      string
	port    *port
	clock   func() Reading
	release func()
	end     context.CancelFunc
	ctx     context.Context

	heard atomic.Int64 // when, ns of CLOCK_MONOTONIC

	mu       sync.Mutex // also while something is loaded, which takes seconds
	endpoint *endpoint  // what sends and receives; nil: it is not loaded
}

// Answer answers a question of a leader.
func (p *Follower) Answer(method string, asked []byte) []byte {
	answer, err := sensible(method, func() ([]byte, error) { return p.answer(method, asked) })
	r := reply{Answer: answer}
	if err != nil {
		r = reply{Failed: err.Error(), Gone: errors.Is(err, errGone)}
	}
	b, _ := envelope(r) // strings and octets can be written
	return b
}

var errGone = errors.New("it is no part of the measurement any more: it had not heard of the leader for a while, " +
	"or its agent was restarted")

// sensible refuses questions that cannot be answered, such as for windows that are not
// counted.
func sensible(method string, do func() ([]byte, error)) (answer []byte, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("the question %q makes no sense: %v", method, what)
		}
	}()
	return do()
}

func (p *Follower) answer(method string, asked []byte) (answer []byte, err error) {
	var q question
	if err := decode(asked, &q); err != nil {
		return nil, err
	}
	if method == methodOpen {
		return handle(q.Body, func(o opening) (opened, error) { return p.open(q.Session, o) })
	}
	s := p.membership(q.Session)
	if s == nil {
		return nil, errGone
	}
	if method == methodClose {
		return handle(q.Body, func(nothing) (nothing, error) { return nothing{}, p.end(s) })
	}
	return s.answer(method, q.Body)
}

// handle decodes a question and encodes the answer.
func handle[Q, A any](body []byte, do func(Q) (A, error)) ([]byte, error) {
	var q Q
	if err := decode(body, &q); err != nil {
		return nil, err
	}
	a, err := do(q)
	if err != nil {
		return nil, err
	}
	return encode(a)
}

// membership is the measurement under way of that name, which was heard of.
func (p *Follower) membership(id string) *membership {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil || p.now.id != id {
		return nil
	}
	p.now.heard.Store(int64(threads.Monotonic()))
	return p.now
}

func (p *Follower) open(id string, q opening) (o opened, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now != nil {
		return o, errors.New("it takes part in another measurement")
	}
	release := func() {}
	if p.Admit != nil {
		if release, err = p.Admit(q.Leader, q.Device); err != nil {
			return o, err
		}
	}
	at, err := openPort(q.Device, q.CPUs)
	if err != nil {
		release()
		return o, err
	}
	s := &membership{id: id, port: at, clock: p.clock, release: release}
	if s.clock == nil {
		s.clock = readClock
	}
	s.heard.Store(int64(threads.Monotonic()))
	s.ctx, s.end = context.WithCancel(context.Background())
	p.now = s
	go p.watch(s)
	facts := host.Facts()
	return opened{Host: facts.Hostname, Kernel: facts.Kernel, CPUs: at.cpus, MAC: at.MAC, Clock: s.clock(), PTP: facts.PTP}, nil
}

// watch ends a measurement whose leader is gone.
func (p *Follower) watch(s *membership) {
	tick := time.NewTicker(silentFor / 10)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		if time.Duration(int64(threads.Monotonic())-s.heard.Load()) > silentFor {
			_ = p.end(s) // there is nobody to hear of it
		}
	}
}

// end ends a measurement; one that has ended is left alone.
func (p *Follower) end(s *membership) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now != s {
		return nil
	}
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.endpoint.close()
	s.port.close()
	p.now = nil
	s.release()
	return err
}

// Close ends the measurement that is under way.
func (p *Follower) Close() error {
	p.mu.Lock()
	s := p.now
	p.mu.Unlock()
	if s == nil {
		return nil
	}
	return p.end(s)
}

// loaded is what sends and receives.
func (s *membership) loaded() (*endpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endpoint == nil {
		return nil, errors.New("nothing is loaded that could send or receive")
	}
	return s.endpoint, nil
}

// load loads it, in the place of what was there.
func (s *membership) load(q loading) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.endpoint.close()
	s.endpoint = nil
	if err != nil || len(q.Flows) == 0 {
		return err
	}
	if s.endpoint, err = openEndpoint(q, s.port); err != nil {
		return fmt.Errorf("load what sends and receives at %s: %w", s.port.Name, err)
	}
	return nil
}
