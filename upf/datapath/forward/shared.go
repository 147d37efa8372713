package forward

import (
	"sync"

	"github.com/upflab/upflab/upf/datapath"
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

// Counters is datapath.Datapath's.
func (s *Shared) Counters() (datapath.Counters, error) {
	defer s.Give()
	return s.Take().Counters(), nil
}
