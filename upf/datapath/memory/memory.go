// Package memory is a datapath that moves no packets: it keeps the rules it is
// given, refuses what a real one refuses, and lets tests look inside.
package memory

import (
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// Datapath implements datapath.Datapath. The zero value is not usable: call New.
type Datapath struct {
	mu       sync.Mutex
	state    state
	limit    int
	fail     error
	counters datapath.Counters
	closed   bool
	usages   map[usageKey]*usage
	resumed  map[usageKey]session.Usage
	alarm    func(seid uint64, urr session.URRKey)
	hold     func(datapath.Held)
	notice   func(datapath.Notice)
}

// state is what one Apply replaces by another.
type state struct {
	sessions map[uint64]session.Packed
	keys     map[plan.Key]owner
}

type owner struct {
	seid uint64
	pdr  uint16
}

// New makes a datapath with room for limit sessions; 0 means no limit.
func New(limit int) *Datapath {
	return &Datapath{
		limit: limit, usages: map[usageKey]*usage{}, resumed: map[usageKey]session.Usage{},
		state: state{map[uint64]session.Packed{}, map[plan.Key]owner{}},
	}
}

// Apply implements datapath.Datapath. It works on the live state and walks its
// steps back on an error, so that its cost does not grow with the sessions.
func (d *Datapath) Apply(changes []datapath.Change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return errors.New("apply rules: the datapath is closed")
	case d.fail != nil:
		return d.fail
	}
	for i, c := range changes {
		if err := d.change(c); err != nil {
			d.undo(changes[:i])
			return err
		}
	}
	for _, c := range changes {
		d.settle(c)
	}
	return nil
}

func (d *Datapath) change(c datapath.Change) error {
	d.remove(c.Old)
	if c.New == nil {
		return nil
	}
	if err := d.insert(c.New); err != nil {
		d.restore(c.Old)
		return err
	}
	return nil
}

func (d *Datapath) undo(done []datapath.Change) {
	for i := len(done) - 1; i >= 0; i-- {
		d.remove(done[i].New)
		d.restore(done[i].Old)
	}
}

// restore puts back what was there before, for which there is always room.
func (d *Datapath) restore(r *session.Rules) {
	if r != nil {
		d.add(r)
	}
}

func (d *Datapath) insert(r *session.Rules) error {
	if err := r.Validate(session.All); err != nil {
		return err
	}
	if d.limit > 0 && len(d.state.sessions) >= d.limit {
		return fmt.Errorf("add session %#x to %d: %w", r.SEID, d.limit, datapath.ErrFull)
	}
	if err := d.add(r); err != nil {
		d.remove(r)
		return err
	}
	return nil
}

func (d *Datapath) add(r *session.Rules) error {
	chains, err := plan.Of(r)
	if err != nil {
		return err
	}
	d.state.sessions[r.SEID] = session.Pack(r)
	for i := range chains {
		if err := d.state.claim(r, &chains[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) claim(r *session.Rules, c *plan.Chain) error {
	if had, taken := s.keys[c.Key]; taken {
		return &session.RuleError{
			Kind: session.KindPDR, ID: uint32(c.PDR),
			Reason: fmt.Sprintf("%v is that of PDR %d of session %#x", c.Key, had.pdr, had.seid),
		}
	}
	s.keys[c.Key] = owner{r.SEID, c.PDR}
	return nil
}

func (d *Datapath) remove(r *session.Rules) {
	if r == nil {
		return
	}
	delete(d.state.sessions, r.SEID)
	for i := range r.PDRs {
		keys, _ := plan.KeysOf(&r.PDRs[i])
		for _, k := range keys {
			if d.state.keys[k].seid == r.SEID {
				delete(d.state.keys, k)
			}
		}
	}
}

// Capabilities implements datapath.Datapath.
func (d *Datapath) Capabilities() datapath.Capabilities {
	return datapath.Capabilities{Measurer: d, Resume: d.Resume, Holder: d, OnNotice: d.OnNotice}
}

// Counters implements datapath.Datapath: what SetCounters was given.
func (d *Datapath) Counters() (datapath.Counters, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.counters
	c.Drops = maps.Clone(c.Drops)
	return c, nil
}

// Close implements datapath.Datapath.
func (d *Datapath) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return nil
}
