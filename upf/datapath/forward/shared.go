package forward

import (
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Shared is a Forwarder for several workers, which take it in turn, each for a batch
// of packets: between two batches sessions are changed. What takes a worker's
// time, the kernel's receiving and sending, it does without.
type Shared struct {
	mu        sync.Mutex
	forwarder *Forwarder
	began     time.Time
}

// Share makes the forwarder one for several workers.
func Share(f *Forwarder) *Shared { return &Shared{forwarder: f, began: time.Now()} }

// Now is the clock of all workers, by which meters run and next hops age: nanoseconds since Share.
func (s *Shared) Now() uint64 { return uint64(time.Since(s.began)) + 1 }

// Take gives the forwarder until Give. Send nothing in between.
func (s *Shared) Take() *Forwarder {
	s.mu.Lock()
	return s.forwarder
}

// Give ends what Take began.
func (s *Shared) Give() { s.mu.Unlock() }

// Control is the control process's side of the forwarder: the methods of a datapath
// that do not concern its packets. It is for a datapath to embed.
func (s *Shared) Control() Control { return Control{s} }

// Control is what Shared.Control gives.
type Control struct{ shared *Shared }

// Capabilities are those of the forwarder. A datapath that embeds Control adds what its threads
// and devices can do.
func (c Control) Capabilities() datapath.Capabilities {
	return datapath.Capabilities{Measurer: c, Resume: c.Resume, Holder: c, OnNotice: c.OnNotice, OnSlow: c.OnSlow, Watch: c.Watch}
}

// Apply implements datapath.Datapath.
func (c Control) Apply(changes []datapath.Change) error {
	if err := c.apply(changes); err != nil {
		return err
	}
	c.shared.forwarder.prepareFor(changes)
	return nil
}

func (c Control) apply(changes []datapath.Change) error {
	defer c.shared.Give()
	return c.shared.Take().Apply(changes)
}

// Usage implements datapath.Measurer.
func (c Control) Usage(seid uint64, urr session.URRKey) (session.Usage, error) {
	defer c.shared.Give()
	return c.shared.Take().Usage(seid, urr)
}

// Mark implements datapath.Measurer.
func (c Control) Mark(seid uint64, urr session.URRKey) {
	defer c.shared.Give()
	c.shared.Take().Mark(seid, urr)
}

// SetLimits implements datapath.Measurer.
func (c Control) SetLimits(seid uint64, urr session.URRKey, l session.Limits) error {
	defer c.shared.Give()
	return c.shared.Take().SetLimits(seid, urr, l)
}

// OnAlarm implements datapath.Measurer.
func (c Control) OnAlarm(f func(seid uint64, urr session.URRKey)) {
	defer c.shared.Give()
	c.shared.Take().OnAlarm(f)
}

// Resume makes a URR's count continue from u.
func (c Control) Resume(seid uint64, urr session.URRKey, u session.Usage) {
	defer c.shared.Give()
	c.shared.Take().Resume(seid, urr, u)
}

// OnHold implements datapath.Holder.
func (c Control) OnHold(f func(datapath.Held)) {
	defer c.shared.Give()
	c.shared.Take().OnHold(f)
}

// OnNotice sets the callback for packets that a router has to answer.
func (c Control) OnNotice(f func(datapath.Notice)) {
	defer c.shared.Give()
	c.shared.Take().OnNotice(f)
}

// OnSlow sets the callback for packets that workers cannot send.
func (c Control) OnSlow(f func(datapath.Slow)) {
	defer c.shared.Give()
	c.shared.Take().OnSlow(f)
}

// Inject takes a G-PDU that the kernel put together. It is for a datapath that does not receive by a UDP
// socket, which gives one such G-PDUs as all others.
func (c Control) Inject(message []byte, _ netip.Addr, ecn uint8) bool {
	defer c.shared.Give()
	return c.shared.Take().Inject(message, ecn, c.shared.Now())
}

// Count implements datapath.Holder.
func (c Control) Count(seid uint64, urr session.URRKey, n session.Count) {
	defer c.shared.Give()
	c.shared.Take().Count(seid, urr, n)
}

// Counters implements datapath.Datapath.
func (c Control) Counters() (datapath.Counters, error) {
	defer c.shared.Give()
	return c.shared.Take().Counters(), nil
}
