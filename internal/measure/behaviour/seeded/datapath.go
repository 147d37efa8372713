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
	forward.Control
	shared *forward.Shared
	fault  *Fault

	mu      sync.Mutex                // guards what follows; it is taken before the forwarder
	has     map[uint64]*session.Rules // as the forwarder has them, by SEID
	late    *datapath.Change          // that takes effect after one more packet, by Fault.Linger
	carried int                       // downlink packets that were forwarded since the last change
}

func newFaulty(f *Fault, fw *forward.Forwarder) *faulty {
	shared := forward.Share(fw)
	return &faulty{Control: shared.Control(), shared: shared, fault: f, has: map[uint64]*session.Rules{}}
}

// Apply implements datapath.Datapath.
func (d *faulty) Apply(changes []datapath.Change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.settle(); err != nil {
		return err
	}
	defer func() { d.carried = 0 }()
	var list []datapath.Change
	for _, c := range changes {
		if d.fault.Linger && switches(c) && d.carried >= busy {
			d.late = &c
			continue
		}
		if c.New == nil && d.fault.Keep {
			continue
		}
		if late := d.fault.ChangesAfter; late > 0 && c.Old != nil && c.New != nil {
			time.AfterFunc(late, func() { d.changeLate(c) })
			continue
		}
		list = append(list, d.changed(c))
	}
	return d.apply(list)
}

// changeLate carries out a modification, unless its session has gone.
func (d *faulty) changeLate(c datapath.Change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.has[c.New.SEID] != nil {
		_ = d.apply([]datapath.Change{d.changed(c)})
	}
}

// busy is how many downlink packets since the last change make traffic: the next one is not far then.
const busy = 20

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
	if err := d.Control.Apply(list); err != nil {
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
		c.Final = func(urr session.URRKey, u session.Usage) { final(urr, d.fault.Usage(u)) }
	}
	return c
}

// decide sends a frame through the forwarder.
func (d *faulty) decide(way forward.Direction, frame []byte) (ip []byte, forwarded, n3 bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out, x := d.write(way, frame)
	if x.Verdict != forward.Forward {
		return nil, false, false
	}
	if way == forward.Downlink {
		d.carried++
		_ = d.settle()
	}
	return out[ethernet:], true, x.Tunnel != nil
}

// write returns the frame that a decision makes of another one.
func (d *faulty) write(way forward.Direction, frame []byte) (out []byte, x forward.Decision) {
	defer d.shared.Give()
	f := d.shared.Take()
	if x = f.Decide(way, frame, now()); x.Verdict == forward.Forward {
		out, _ = f.Write(make([]byte, 0, len(frame)+128), &x)
	}
	return out, x
}

// miscounts is the forwarder's Measurer with the fault's usage.
type miscounts struct {
	datapath.Measurer
	fault *Fault
}

// Usage implements datapath.Measurer.
func (m miscounts) Usage(seid uint64, urr session.URRKey) (session.Usage, error) {
	u, err := m.Measurer.Usage(seid, urr)
	if err == nil {
		u = m.fault.Usage(u)
	}
	return u, err
}

// Capabilities are the forwarder's, but for a fault in the usage that is read.
func (d *faulty) Capabilities() datapath.Capabilities {
	c := d.Control.Capabilities()
	if d.fault.Usage != nil {
		c.Measurer = miscounts{c.Measurer, d.fault}
	}
	return c
}

// Close implements datapath.Datapath.
func (d *faulty) Close() error { return nil }
