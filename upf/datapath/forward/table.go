package forward

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// Table is the sessions' rules, by what packets are looked up by: the TEID uplink,
// the UE's address downlink. It is one goroutine's.
type Table struct {
	usages
	room     int
	pools    []netip.Prefix
	sessions map[uint64]bool
	uplink   map[uint32]*rule
	uplink6  map[uint32]*rule // of IPv6 packets
	downlink map[[4]byte]*rule
	prefixes prefixes
	meters   map[meterKey]*meter
	hold     func(datapath.Held)   // nil: nobody holds packets
	notice   func(datapath.Notice) // the same
	outer6   bool                  // tunnels may end at IPv6 addresses
	n6       datapath.N6Tunnels    // and, on N6, here
	accepted datapath.Direction    // T-PDUs from N3
	// allowNested lets UEs send GTP-U.
	allowNested bool
	// kernelRoutes: packets from N6 have been through the kernel's IP forwarding.
	kernelRoutes bool
	// noRelay: packets do not go from one tunnel into another.
	noRelay bool
	// noECN: outer headers have no ECN field.
	noECN bool
}

type owner struct {
	seid uint64
	pdr  uint16
}

// NewTable makes an empty table with room for so many sessions. UEs have addresses of
// the pools.
func NewTable(room int, pools []netip.Prefix) *Table {
	return &Table{
		room: room, pools: pools, sessions: map[uint64]bool{},
		uplink: map[uint32]*rule{}, uplink6: map[uint32]*rule{}, downlink: map[[4]byte]*rule{}, prefixes: prefixes{rules: map[prefix6]*rule{}},
		meters: map[meterKey]*meter{}, usages: usages{all: map[usageKey]*usage{}, resumed: map[usageKey]session.Usage{}},
	}
}

// Apply changes sessions, all or none, as datapath.Datapath asks: on an error it
// undoes the changes before it.
func (t *Table) Apply(changes []datapath.Change) error {
	for i, c := range changes {
		if err := t.change(c); err != nil {
			for j := i - 1; j >= 0; j-- {
				t.remove(changes[j].New)
				t.restore(changes[j].Old)
				t.forget(changes[j].New, changes[j].Old)
			}
			return err
		}
	}
	for _, c := range changes {
		t.settleUsages(c)
	}
	return nil
}

// forget drops what a session's new rules, which are not taken, made beyond the old.
func (t *Table) forget(new, old *session.Rules) {
	t.forgetMeters(new, old)
	t.forgetUsages(new, old)
}

func (t *Table) change(c datapath.Change) error {
	switch {
	case c.Old == nil && c.New == nil:
		return errors.New("a change with neither old nor new rules: give one")
	case c.Old != nil && !t.sessions[c.Old.SEID]:
		return fmt.Errorf("session %#x: not in the datapath: apply it first", c.Old.SEID)
	case c.Old == nil && t.sessions[c.New.SEID]:
		return fmt.Errorf("session %#x: already in the datapath: give its old rules", c.New.SEID)
	}
	t.remove(c.Old)
	if c.New != nil {
		if err := t.insert(c.New); err != nil {
			t.restore(c.Old)
			t.forget(c.New, c.Old)
			return fmt.Errorf("session %#x: %w", c.New.SEID, err)
		}
	}
	t.forgetMeters(c.Old, c.New)
	return nil
}

// restore puts back what was there, for which there is always room.
func (t *Table) restore(r *session.Rules) {
	if r != nil {
		t.insert(r)
	}
}

func (t *Table) insert(r *session.Rules) error {
	if err := r.Validate(session.All); err != nil {
		return err
	}
	if len(t.sessions) >= t.room {
		return fmt.Errorf("add it to %d: %w: raise max sessions", len(t.sessions), datapath.ErrFull)
	}
	chains, err := plan.Of(r)
	if err != nil {
		return err
	}
	t.sessions[r.SEID] = true
	for i := range chains {
		if err := t.claim(r, &chains[i]); err != nil {
			t.remove(r)
			return err
		}
	}
	return nil
}

func (t *Table) remove(r *session.Rules) {
	if r == nil {
		return
	}
	delete(t.sessions, r.SEID)
	for i := range r.PDRs {
		t.release(&r.PDRs[i], r.SEID)
	}
}

// release takes a PDR's rules out of the table, if the keys are its session's.
func (t *Table) release(p *session.PDR, seid uint64) {
	keys, _ := plan.KeysOf(p)
	for _, k := range keys {
		if had := t.find(k); had != nil && had.seid == seid {
			t.erase(k)
		}
	}
}

func (t *Table) find(k plan.Key) *rule {
	switch {
	case k.IsTunnel() && k.IPv6:
		return t.uplink6[k.TEID]
	case k.IsTunnel():
		return t.uplink[k.TEID]
	case k.IPv6, k.IsFramed():
		return t.prefixes.rules[keyOf6(mapped(k.UE))]
	}
	return t.downlink[k.UE.Addr().As4()]
}

func (t *Table) enter(k plan.Key, r *rule) {
	switch {
	case k.IsTunnel() && k.IPv6:
		t.uplink6[k.TEID] = r
	case k.IsTunnel():
		t.uplink[k.TEID] = r
	case k.IPv6, k.IsFramed():
		t.prefixes.add(mapped(k.UE), r)
	default:
		t.downlink[k.UE.Addr().As4()] = r
	}
}

func (t *Table) erase(k plan.Key) {
	switch {
	case k.IsTunnel() && k.IPv6:
		delete(t.uplink6, k.TEID)
	case k.IsTunnel():
		delete(t.uplink, k.TEID)
	case k.IPv6, k.IsFramed():
		t.prefixes.remove(mapped(k.UE))
	default:
		delete(t.downlink, k.UE.Addr().As4())
	}
}

// inPool reports whether the address is one of a UE.
func (t *Table) inPool(a netip.Addr) bool {
	for i := range t.pools {
		if t.pools[i].Contains(a) {
			return true
		}
	}
	return false
}

// hasPool reports whether all addresses of a prefix are those of UEs.
func (t *Table) hasPool(p netip.Prefix) bool {
	for i := range t.pools {
		if t.pools[i].Bits() <= p.Bits() && t.pools[i].Contains(p.Addr()) {
			return true
		}
	}
	return false
}
