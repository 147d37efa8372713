package attack

import (
	"math/rand/v2"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// mutation changes a message in one way.
type mutation struct {
	name string
	do   func(*mutator, *message)
}

// mutator makes inputs from valid messages. It is one goroutine's.
type mutator struct {
	rng   *rand.Rand
	seeds []*message
}

// next makes the next input: mutated valid messages as a rule, one in five by grammar alone.
func (m *mutator) next(sequence uint32) []byte {
	var msg *message
	if m.rng.IntN(5) == 0 {
		msg = m.invent()
	} else {
		msg = m.seeds[m.rng.IntN(len(m.seeds))].clone()
		for range 1 + m.rng.IntN(4) {
			mutations[m.rng.IntN(len(mutations))].do(m, msg)
		}
	}
	msg.setSequence(sequence)
	b := msg.bytes()
	if m.rng.IntN(12) == 0 {
		b = m.octets(b)
	}
	return b[:min(len(b), longest)]
}

// longest is what an input has, octets: it goes in a few fragments at most.
const longest = 8000

var mutations = []mutation{
	{"drop an IE", func(m *mutator, msg *message) {
		list := m.list(msg)
		if n := len(*list); n > 0 {
			i := m.rng.IntN(n)
			*list = append((*list)[:i:i], (*list)[i+1:]...)
		}
	}},
	{"double an IE", func(m *mutator, msg *message) {
		list := m.list(msg)
		if n := len(*list); n > 0 {
			e := (*list)[m.rng.IntN(n)]
			for range m.seldom(64) {
				*list = append(*list, e)
			}
		}
	}},
	{"move an IE", func(m *mutator, msg *message) {
		from, to := m.list(msg), m.list(msg)
		if n := len(*from); n > 0 && from != to {
			*to = append(*to, cloneAll((*from)[n-1:])...)
		}
	}},
	{"an IE of another message", func(m *mutator, msg *message) {
		list := m.list(msg)
		if e := m.any(m.seeds[m.rng.IntN(len(m.seeds))]); e != nil {
			*list = append(*list, cloneAll([]*element{e})...)
		}
	}},
	{"another type", func(m *mutator, msg *message) {
		if e := m.any(msg); e != nil {
			e.typ = m.typ()
		}
	}},
	{"an empty value", func(m *mutator, msg *message) {
		if e := m.any(msg); e != nil {
			e.value, e.inner = nil, nil
		}
	}},
	{"a short value", func(m *mutator, msg *message) {
		if e := m.leaf(msg); e != nil && len(e.value) > 0 {
			e.value = e.value[:m.rng.IntN(len(e.value))]
		}
	}},
	{"a long value", func(m *mutator, msg *message) {
		if e := m.leaf(msg); e != nil {
			e.value = append(e.value[:len(e.value):len(e.value)], m.noise(1+m.rng.IntN(64))...)
		}
	}},
	{"boundary octets", func(m *mutator, msg *message) {
		if e := m.leaf(msg); e != nil && len(e.value) > 0 {
			e.value = append([]byte(nil), e.value...)
			e.value[m.rng.IntN(len(e.value))] = boundaries[m.rng.IntN(len(boundaries))]
		}
	}},
	{"all octets alike", func(m *mutator, msg *message) {
		if e := m.leaf(msg); e != nil {
			v := boundaries[m.rng.IntN(len(boundaries))]
			e.value = append([]byte(nil), e.value...)
			for i := range e.value {
				e.value[i] = v
			}
		}
	}},
	{"a random value", func(m *mutator, msg *message) {
		if e := m.leaf(msg); e != nil {
			e.value = m.noise(len(e.value))
		}
	}},
	{"a wrong length of an IE", func(m *mutator, msg *message) {
		if e := m.any(msg); e != nil {
			e.lie = lies[m.rng.IntN(len(lies))]
		}
	}},
	{"a wrong length of the message", func(m *mutator, msg *message) { msg.lie = lies[m.rng.IntN(len(lies))] }},
	{"groups in groups", func(m *mutator, msg *message) {
		e := &element{typ: ie.PDI}
		for range m.seldom(300) {
			e = &element{typ: ie.PDI, inner: []*element{e}}
		}
		list := m.list(msg)
		*list = append(*list, e)
	}},
	{"another message type", func(m *mutator, msg *message) { msg.header[1] = byte(m.rng.IntN(70)) }},
	{"other flags of the header", func(m *mutator, msg *message) { msg.header[0] ^= 1 << m.rng.IntN(8) }},
	{"another SEID", func(m *mutator, msg *message) {
		if msg.seid {
			msg.header[4+m.rng.IntN(8)] ^= byte(1 << m.rng.IntN(8))
		}
	}},
	{"something behind the message", func(m *mutator, msg *message) { msg.tail = m.noise(1 + m.rng.IntN(40)) }},
}

// seldom is a small number, and one in 50 times as much as most.
func (m *mutator) seldom(most int) int {
	if m.rng.IntN(50) == 0 {
		return 1 + m.rng.IntN(most)
	}
	return 1 + m.rng.IntN(3)
}

var (
	boundaries = []byte{0, 1, 0x7f, 0x80, 0xfe, 0xff}
	lies       = []int{-1, 1, -4, 4, 8, 100, -1000, 1000, 30000, -30000}
)

// list is one of the message's lists of IEs.
func (m *mutator) list(msg *message) (chosen *[]*element) {
	n := 0
	msg.walk(func(list *[]*element) {
		if n++; m.rng.IntN(n) == 0 {
			chosen = list
		}
	})
	return chosen
}

// any is one of the message's IEs; nil: it has none.
func (m *mutator) any(msg *message) (chosen *element) {
	n := 0
	msg.walk(func(list *[]*element) {
		for _, e := range *list {
			if n++; m.rng.IntN(n) == 0 {
				chosen = e
			}
		}
	})
	return chosen
}

// leaf is one that is no group; nil: there is none.
func (m *mutator) leaf(msg *message) (chosen *element) {
	n := 0
	msg.walk(func(list *[]*element) {
		for _, e := range *list {
			if len(e.inner) > 0 {
				continue
			}
			if n++; m.rng.IntN(n) == 0 {
				chosen = e
			}
		}
	})
	return chosen
}

func (m *mutator) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.rng.Uint32())
	}
	return b
}

// typ is an IE type: mostly one that exists, some are vendors' or unknown.
func (m *mutator) typ() uint16 {
	if m.rng.IntN(10) == 0 {
		return uint16(m.rng.Uint32())
	}
	return uint16(1 + m.rng.IntN(lastType))
}

// lastType is about the highest IE type of TS 29.244 table 8.1.2-1.
const lastType = 370

// invent makes a message of IEs that exist, each anywhere and of any length.
func (m *mutator) invent() *message {
	types := []pfcp.MessageType{pfcp.SessionEstablishmentRequest, pfcp.SessionModificationRequest, pfcp.SessionDeletionRequest,
		pfcp.PFDManagementRequest, pfcp.HeartbeatRequest, pfcp.SessionReportResponse}
	typ := types[m.rng.IntN(len(types))]
	msg := m.seeds[m.rng.IntN(len(m.seeds))].clone() // for a SEID and a node that the UPF knows
	if typ.OfSession() != msg.seid {
		msg.seid = typ.OfSession()
		msg.header[0] ^= 1
	}
	msg.header[1] = byte(typ)
	if len(msg.ies) > 2 {
		msg.ies = msg.ies[:2:2]
	}
	msg.ies = append(msg.ies, m.inventAll(0)...)
	return msg
}

func (m *mutator) inventAll(depth int) (list []*element) {
	for range 1 + m.rng.IntN(8) {
		e := &element{typ: m.typ()}
		if pfcp.Grouped(e.typ) && depth < 4 {
			e.inner = m.inventAll(depth + 1)
		} else {
			e.value = m.noise(m.rng.IntN(1 + m.rng.IntN(40)))
		}
		list = append(list, e)
	}
	return list
}

// octets flips bits, cuts, or repeats a part of what goes on the wire.
func (m *mutator) octets(b []byte) []byte {
	b = append([]byte(nil), b...)
	switch m.rng.IntN(3) {
	case 0:
		return b[:1+m.rng.IntN(len(b))]
	case 1:
		for range 1 + m.rng.IntN(8) {
			b[m.rng.IntN(len(b))] ^= 1 << m.rng.IntN(8)
		}
	default:
		at := m.rng.IntN(len(b))
		b = append(b, b[at:]...)
	}
	return b
}
