package interop

import (
	"maps"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"
)

// tree is an IE with its octets.
type tree struct {
	typ   uint16
	value []byte
	ies   []*tree
}

// find is the first IE at the end of a path of types; nil: there is none.
func (t *tree) find(path ...uint16) *tree {
	for _, typ := range path {
		if t == nil {
			return nil
		}
		at := slices.IndexFunc(t.ies, func(e *tree) bool { return e.typ == typ })
		if at < 0 {
			return nil
		}
		t = t.ies[at]
	}
	return t
}

// all are the IEs of a type.
func (t *tree) all(typ uint16) (list []*tree) {
	if t == nil {
		return nil
	}
	for _, e := range t.ies {
		if e.typ == typ {
			list = append(list, e)
		}
	}
	return list
}

// octet is the n-th octet of an IE; 0: there is none.
func (t *tree) octet(n int) byte {
	if t == nil || n >= len(t.value) {
		return 0
	}
	return t.value[n]
}

// number is a value of at most 8 octets; 0: there is no IE.
func (t *tree) number() (n uint64) {
	if t == nil {
		return 0
	}
	for _, b := range t.value[:min(8, len(t.value))] {
		n = n<<8 | uint64(b)
	}
	return n
}

// state is the rules of a session after some messages, by their IDs.
type state struct {
	pdrs, fars, qers, urrs map[uint64]*tree

	ends     ends
	tunnels  map[uint64]tunnel // the F-TEIDs of PDRs
	messages int               // so far
	gone     bool              // the session was deleted

	// These follow from the rules: settle finds them.
	filters  map[uint64][]filter // of PDRs
	up, down []route
}

// settle finds what follows from the rules.
func (s *state) settle() {
	s.filters = map[uint64][]filter{}
	for id, rule := range s.pdrs {
		s.filters[id] = s.filtersOf(rule)
	}
	s.up, s.down = s.ways(true), s.ways(false)
}

// kinds are the IEs that create, update and remove a kind of rule, and the one with its ID.
type kinds struct{ create, update, remove, id uint16 }

// after gives the rules after one more message.
func (s state) after(m *tree) state {
	next := s
	for _, k := range []struct {
		kinds
		rules *map[uint64]*tree
	}{
		{kinds{ie.CreatePDR, ie.UpdatePDR, ie.RemovePDR, ie.PDRID}, &next.pdrs},
		{kinds{ie.CreateFAR, ie.UpdateFAR, ie.RemoveFAR, ie.FARID}, &next.fars},
		{kinds{ie.CreateQER, ie.UpdateQER, ie.RemoveQER, ie.QERID}, &next.qers},
		{kinds{ie.CreateURR, ie.UpdateURR, ie.RemoveURR, ie.URRID}, &next.urrs},
	} {
		*k.rules = k.changed(*k.rules, m)
	}
	next.messages++
	next.tunnels = maps.Clone(s.tunnels)
	for _, e := range m.ies {
		if f := e.find(ie.PDI, ie.FTEID); (e.typ == ie.CreatePDR || e.typ == ie.UpdatePDR) && f != nil {
			id := e.find(ie.PDRID).number()
			next.tunnels[id] = tunnelOf(f, id, next.messages)
		}
	}
	return next
}

// tunnel tells an F-TEID from others. One that the UPF chooses has the number of the message that asked for it, from 1, and
// the PDR, unless it has a CHOOSE ID: PDRs of a message with the same one share the F-TEID (TS 29.244 clause 8.2.3).
type tunnel struct {
	octets  string
	message int
	pdr     uint64
}

func tunnelOf(f *tree, pdr uint64, message int) tunnel {
	const choose, chooseID = 1 << 2, 1 << 3
	switch {
	case f.octet(0)&choose == 0:
		return tunnel{octets: string(f.value)}
	case f.octet(0)&chooseID == 0:
		return tunnel{"", message, pdr}
	}
	return tunnel{string(f.value), message, 0}
}

// changed gives the rules of a kind after a message.
func (k kinds) changed(old map[uint64]*tree, m *tree) map[uint64]*tree {
	list := map[uint64]*tree{}
	maps.Copy(list, old)
	for _, e := range m.ies {
		switch e.typ {
		case k.create:
			list[e.find(k.id).number()] = e
		case k.update:
			merge(list, e, k.id)
		case k.remove:
			delete(list, e.find(k.id).number())
		}
	}
	return list
}

// merge updates a rule: an IE takes the place of those of its type, and those that are not named stay (TS 29.244
// clause 5.2.1). Those of forwarding parameters are updated one by one.
func merge(list map[uint64]*tree, update *tree, id uint16) {
	key := update.find(id).number()
	old := list[key]
	if old == nil {
		return
	}
	list[key] = merged(old, update)
}

func merged(old, update *tree) *tree {
	is := map[uint16]bool{}
	for _, e := range update.ies {
		is[created(e.typ)] = true
	}
	out := &tree{typ: old.typ}
	for _, e := range old.ies {
		if !is[e.typ] || e.typ == ie.ForwardingParameters {
			out.ies = append(out.ies, e)
		}
	}
	for _, e := range update.ies {
		at := slices.IndexFunc(out.ies, func(o *tree) bool { return o.typ == ie.ForwardingParameters })
		if created(e.typ) == ie.ForwardingParameters && at >= 0 {
			out.ies[at] = merged(out.ies[at], e)
		} else {
			out.ies = append(out.ies, &tree{created(e.typ), e.value, e.ies})
		}
	}
	return out
}

// created is the type in a Create FAR of an IE of an Update FAR.
func created(typ uint16) uint16 {
	if typ == ie.UpdateForwardingParameters {
		return ie.ForwardingParameters
	}
	return typ
}
