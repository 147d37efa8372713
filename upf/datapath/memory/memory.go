// Package memory is a datapath that moves no packets: it keeps the rules it is
// given, refuses what a real one refuses, and lets tests look inside.
package memory

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"sync"

	"github.com/upflab/upflab/upf/datapath"
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
}

// state is what one Apply replaces by another.
type state struct {
	sessions map[uint64]*session.Rules
	teids    map[uint32]owner
	ues      map[netip.Addr]owner
}

type owner struct {
	seid uint64
	pdr  uint16
}

// New makes a datapath with room for limit sessions; 0 means no limit.
func New(limit int) *Datapath {
	return &Datapath{
		limit: limit,
		state: state{map[uint64]*session.Rules{}, map[uint32]owner{}, map[netip.Addr]owner{}},
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
	if err := r.Validate(session.Basic); err != nil {
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
	d.state.sessions[r.SEID] = r
	for _, p := range r.PDRs {
		if err := d.state.claim(owner{r.SEID, p.ID}, p.PDI); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) claim(o owner, pdi session.PDI) error {
	if pdi.Source == session.Access {
		return claim(s.teids, pdi.TEID, o, "TEID")
	}
	return claim(s.ues, pdi.UE, o, "UE address")
}

func claim[K comparable](m map[K]owner, key K, o owner, what string) error {
	if had, taken := m[key]; taken {
		return &session.RuleError{
			Kind: session.KindPDR, ID: uint32(o.pdr),
			Reason: fmt.Sprintf("%s %v is that of PDR %d of session %#x", what, key, had.pdr, had.seid),
		}
	}
	m[key] = o
	return nil
}

func (d *Datapath) remove(r *session.Rules) {
	if r == nil {
		return
	}
	delete(d.state.sessions, r.SEID)
	for _, p := range r.PDRs {
		o := owner{r.SEID, p.ID}
		if p.PDI.Source == session.Access {
			release(d.state.teids, p.PDI.TEID, o)
		} else {
			release(d.state.ues, p.PDI.UE, o)
		}
	}
}

func release[K comparable](m map[K]owner, key K, o owner) {
	if m[key] == o {
		delete(m, key)
	}
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
