package calibrator

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// table is the sessions' rules, by what packets are looked up by.
type table struct {
	room     int
	pools    []netip.Prefix
	sessions map[uint64]*session.Rules
	uplink   map[uint32]*uplinkRule
	downlink map[[4]byte]*downlinkRule
}

type owner struct {
	seid uint64
	pdr  uint16
}

type uplinkRule struct {
	owner
	verdict verdict
	ue      [4]byte // the inner source; zero: any
	qfi     uint8   // 0: any
}

type downlinkRule struct {
	owner
	verdict verdict
	peer    [4]byte
	teid    uint32
	qfi     uint8 // 0: none
}

func newTable(room int, pools []netip.Prefix) *table {
	return &table{
		room: room, pools: pools, sessions: map[uint64]*session.Rules{},
		uplink: map[uint32]*uplinkRule{}, downlink: map[[4]byte]*downlinkRule{},
	}
}

// apply changes sessions, all or none: on an error it walks its steps back.
func (t *table) apply(changes []datapath.Change) error {
	for i, c := range changes {
		if err := t.change(c); err != nil {
			for j := i - 1; j >= 0; j-- {
				t.remove(changes[j].New)
				t.restore(changes[j].Old)
			}
			return err
		}
	}
	return nil
}

func (t *table) change(c datapath.Change) error {
	switch {
	case c.Old == nil && c.New == nil:
		return errors.New("a change with neither old nor new rules: give one")
	case c.Old != nil && t.sessions[c.Old.SEID] == nil:
		return fmt.Errorf("session %#x: not in the datapath: apply it first", c.Old.SEID)
	case c.Old == nil && t.sessions[c.New.SEID] != nil:
		return fmt.Errorf("session %#x: already in the datapath: give its old rules", c.New.SEID)
	}
	t.remove(c.Old)
	if c.New == nil {
		return nil
	}
	if err := t.insert(c.New); err != nil {
		t.restore(c.Old)
		return fmt.Errorf("session %#x: %w", c.New.SEID, err)
	}
	return nil
}

// restore puts back what was there, for which there is always room.
func (t *table) restore(r *session.Rules) {
	if r != nil {
		t.insert(r)
	}
}

func (t *table) insert(r *session.Rules) error {
	if err := r.Validate(session.Basic); err != nil {
		return err
	}
	if len(t.sessions) >= t.room {
		return fmt.Errorf("add it to %d: %w: raise max sessions", len(t.sessions), datapath.ErrFull)
	}
	t.sessions[r.SEID] = r
	for i := range r.PDRs {
		if err := t.claim(r, &r.PDRs[i]); err != nil {
			t.remove(r)
			return err
		}
	}
	return nil
}

func (t *table) remove(r *session.Rules) {
	if r == nil {
		return
	}
	delete(t.sessions, r.SEID)
	for i := range r.PDRs {
		p := &r.PDRs[i]
		o := owner{r.SEID, p.ID}
		if p.PDI.Source == session.Access {
			if had := t.uplink[p.PDI.TEID]; had != nil && had.owner == o {
				delete(t.uplink, p.PDI.TEID)
			}
			continue
		}
		if had := t.downlink[p.PDI.UE.As4()]; had != nil && had.owner == o {
			delete(t.downlink, p.PDI.UE.As4())
		}
	}
}

// inPool reports whether the address is one of a UE.
func (t *table) inPool(a [4]byte) bool {
	for _, p := range t.pools {
		if p.Contains(netip.AddrFrom4(a)) {
			return true
		}
	}
	return false
}
