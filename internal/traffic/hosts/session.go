package hosts

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
)

// Member is a host that is asked to take part.
type Member struct {
	Testbed string
	Device  string // its port
	CPUs    []int  // that send; none: the host chooses one
}

// Session is a measurement over several hosts, as the leader has it.
type Session struct {
	Generators []*Host // of uplink packets, each a gNB
	Sink       *Host   // the data network

	caller Caller
	id     string
	end    context.CancelFunc

	mu   sync.Mutex
	lost *LostError
	told chan struct{} // closed when a host is lost
}

// Host is another host of a measurement.
type Host struct {
	Member
	Facts opened

	session *Session
	ctx     context.Context // ends with the host
	gone    context.CancelFunc

	mu     sync.Mutex
	offset Offset
	at     time.Time // when that was measured
}

// LostError is a host that did not answer any more.
type LostError struct {
	Testbed string
	Err     error
}

// Error says which one.
func (e *LostError) Error() string {
	return fmt.Sprintf("host %s was lost (%v): is it up, and its agent running?", e.Testbed, e.Err)
}

// Unwrap gives the reason.
func (e *LostError) Unwrap() error { return e.Err }

// Open asks hosts to take part in a measurement. leader is the name of the testbed that
// leads. Close the session when done.
func Open(ctx context.Context, c Caller, leader string, generators []Member, sink Member) (*Session, error) {
	s := &Session{caller: c, id: host.NewRunID(), told: make(chan struct{})}
	var alive context.Context
	alive, s.end = context.WithCancel(context.Background())
	for _, m := range generators {
		h, err := s.join(ctx, alive, leader, m)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.Generators = append(s.Generators, h)
	}
	var err error
	if s.Sink, err = s.join(ctx, alive, leader, sink); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Session) join(ctx, alive context.Context, leader string, m Member) (*Host, error) {
	h := &Host{Member: m, session: s}
	h.ctx, h.gone = context.WithCancel(alive)
	var err error
	h.Facts, err = ask[opened](ctx, h, methodOpen, opening{Leader: leader, Device: m.Device, CPUs: m.CPUs})
	if err == nil && (len(h.Facts.CPUs) == 0 || len(h.Facts.MAC) != 6) {
		err = fmt.Errorf("host %s: its answer makes no sense", m.Testbed)
	}
	if err != nil {
		h.gone()
		return nil, fmt.Errorf("ask testbed %s to take part: %w", m.Testbed, err)
	}
	go h.keepAlive()
	return h, nil
}

// Neighbour is the MAC address of who has an address behind the host's port: that of a UPF
// which runs elsewhere.
func (h *Host) Neighbour(ctx context.Context, address netip.Addr) (net.HardwareAddr, error) {
	a, err := ask[found](ctx, h, methodFind, finding{address})
	if err == nil && len(a.MAC) != 6 {
		err = fmt.Errorf("host %s: its answer makes no sense", h.Testbed)
	}
	return a.MAC, err
}

// Hosts are all others.
func (s *Session) Hosts() []*Host {
	list := append([]*Host(nil), s.Generators...)
	if s.Sink != nil {
		list = append(list, s.Sink)
	}
	return list
}

// aliveEvery is how often a host hears of its leader.
const aliveEvery = time.Second

func (h *Host) keepAlive() {
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-time.After(aliveEvery):
		}
		_, _ = ask[nothing](h.ctx, h, methodAlive, nothing{}) // one that fails loses the host
	}
}

// lose notes that a host does not answer. Of several the first one is the reason.
func (s *Session) lose(h *Host, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = &LostError{h.Testbed, err}
		close(s.told)
	}
	h.gone()
	return s.lost
}

// Lost is the host that was lost; nil: none was.
func (s *Session) Lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		return nil
	}
	return s.lost
}

// untilLost gives a context that ends when a host is lost, too.
func (s *Session) untilLost(ctx context.Context) (context.Context, context.CancelFunc) {
	running, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.told:
			stop()
		case <-running.Done():
		}
	}()
	return running, stop
}

// Close lets all hosts go. One that was lost lets go by itself.
func (s *Session) Close() error {
	var errs []error
	for _, h := range s.Hosts() {
		if h.ctx.Err() != nil {
			continue
		}
		if _, err := ask[nothing](h.ctx, h, methodClose, nothing{}); err != nil {
			errs = append(errs, err)
		}
	}
	s.end()
	return errors.Join(errs...)
}
