package forward

import (
	"sync"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Shared is a Forwarder for several workers, which take it in turn, each for a batch
// of packets: between two batches sessions are changed. What takes a worker's
// time, the kernel's receiving and sending, it does without.
type Shared struct {
	mu        sync.Mutex
	forwarder *Forwarder
}

// Share makes the forwarder one for several workers.
func Share(f *Forwarder) *Shared { return &Shared{forwarder: f} }

// Take gives the forwarder until Give. Send nothing in between.
func (s *Shared) Take() *Forwarder {
	s.mu.Lock()
	return s.forwarder
}

// Give ends what Take began.
func (s *Shared) Give() { s.mu.Unlock() }

// Apply is datapath.Datapath's.
func (s *Shared) Apply(changes []datapath.Change) error {
	defer s.Give()
	return s.Take().Apply(changes)
}

// Usage is datapath.Measurer's.
func (s *Shared) Usage(seid uint64, urr uint32) (session.Usage, error) {
	defer s.Give()
	return s.Take().Usage(seid, urr)
}

// SetLimits is datapath.Measurer's.
func (s *Shared) SetLimits(seid uint64, urr uint32, l session.Limits) error {
	defer s.Give()
	return s.Take().SetLimits(seid, urr, l)
}

// OnAlarm is datapath.Measurer's.
func (s *Shared) OnAlarm(f func(seid uint64, urr uint32)) {
	defer s.Give()
	s.Take().OnAlarm(f)
}

// OnHold is datapath.Holder's.
func (s *Shared) OnHold(f func(seid uint64, pdr uint16, tpdu []byte)) {
	defer s.Give()
	s.Take().OnHold(f)
}

// Count is datapath.Holder's.
func (s *Shared) Count(seid uint64, urr uint32, c session.Count) {
	defer s.Give()
	s.Take().Count(seid, urr, c)
}

// Counters is datapath.Datapath's.
func (s *Shared) Counters() (datapath.Counters, error) {
	defer s.Give()
	return s.Take().Counters(), nil
}
