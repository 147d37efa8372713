package seeded

import (
	"sync"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// faulty is the forwarder of user space as a datapath, with a fault.
type faulty struct {
	fault *Fault
	// unasked, when set, is told of tunnels that are left.
	unasked func(session.OuterHeader)

	mu      sync.Mutex
	forward *forward.Forwarder
	has     map[uint64]*session.Rules // as the forwarder has them, by SEID
	late    *datapath.Change          // that takes effect after one more packet, by Fault.Linger
	carried time.Time                 // when the last downlink packet was forwarded
}

var (
	_ datapath.Measurer = (*faulty)(nil)
	_ datapath.Holder   = (*faulty)(nil)
)

func newFaulty(f *Fault, fw *forward.Forwarder) *faulty {
	return &faulty{fault: f, forward: fw, has: map[uint64]*session.Rules{}}
}

// Apply is datapath.Datapath's.
func (d *faulty) Apply(changes []datapath.Change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.settle(); err != nil {
		return err
	}
	var list []datapath.Change
	for _, c := range changes {
		if d.fault.Linger && switches(c) && time.Since(d.carried) < busy {
			d.late = &c
			time.AfterFunc(lingers, func() {
				d.mu.Lock()
				defer d.mu.Unlock()
				_ = d.settle()
			})
			continue
		}
		if c.New == nil && d.fault.Keep {
			continue
		}
		list = append(list, d.changed(c))
	}
	return d.apply(list)
}

// lingers is how long a path switch waits for its packet.
const lingers = 20 * time.Millisecond

// busy is how long after a downlink packet there is traffic.
const busy = 5 * time.Millisecond

// switches reports whether a change leads a FAR to another tunnel.
func switches(c datapath.Change) bool {
	if c.Old == nil || c.New == nil {
		return false
	}
	for _, f := range c.New.FARs {
		if old := c.Old.FindFAR(f.ID); old != nil && old.Outer != nil && f.Outer != nil && *old.Outer != *f.Outer {
			return true
		}
	}
	return false
}

// settle carries out what has waited.
func (d *faulty) settle() error {
	if d.late == nil {
		return nil
	}
	c := *d.late
	d.late = nil
	return d.apply([]datapath.Change{d.changed(c)})
}

func (d *faulty) apply(list []datapath.Change) error {
	if err := d.forward.Apply(list); err != nil {
		return err
	}
	for _, c := range list {
		if c.New == nil {
			delete(d.has, c.Old.SEID)
		} else {
			d.has[c.New.SEID] = c.New
		}
	}
	return nil
}

func (d *faulty) changed(c datapath.Change) datapath.Change {
	if c.Old != nil {
		c.Old = d.has[c.Old.SEID]
	}
	if c.New != nil {
		c.New = c.New.Clone()
		if d.fault.Rules != nil {
			d.fault.Rules(c.Old, c.New)
		}
	}
	if final := c.Final; final != nil && d.fault.Usage != nil {
		c.Final = func(urr uint32, u session.Usage) { final(urr, d.fault.Usage(u)) }
	}
	return c
}

// decide sends a frame through the forwarder.
func (d *faulty) decide(way forward.Direction, frame []byte) (ip []byte, forwarded, n3 bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x := d.forward.Decide(way, frame, now())
	if x.Verdict != forward.Forward {
		return nil, false, false
	}
	out, _ := d.forward.Write(make([]byte, 0, len(frame)+128), &x)
	if way == forward.Downlink {
		d.carried = time.Now()
		_ = d.settle()
	}
	return out[ethernet:], true, x.Tunnel != nil
}

// Usage is datapath.Measurer's.
func (d *faulty) Usage(seid uint64, urr uint32) (session.Usage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u, err := d.forward.Usage(seid, urr)
	if err == nil && d.fault.Usage != nil {
		u = d.fault.Usage(u)
	}
	return u, err
}

// SetLimits is datapath.Measurer's.
func (d *faulty) SetLimits(seid uint64, urr uint32, l session.Limits) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.forward.SetLimits(seid, urr, l)
}

// OnAlarm is datapath.Measurer's.
func (d *faulty) OnAlarm(f func(seid uint64, urr uint32)) { d.forward.OnAlarm(f) }

// OnHold is datapath.Holder's.
func (d *faulty) OnHold(f func(datapath.Held)) { d.forward.OnHold(f) }

// Count is datapath.Holder's.
func (d *faulty) Count(seid uint64, urr uint32, n session.Count) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forward.Count(seid, urr, n)
}

// Counters is datapath.Datapath's.
func (d *faulty) Counters() (datapath.Counters, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.forward.Counters(), nil
}

// Close is datapath.Datapath's.
func (d *faulty) Close() error { return nil }
