package attack

import (
	"bytes"

	"github.com/wmnsk/go-pfcp/ie"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// knownInput is a kind of input that has ended a UPF, as its project's issues say. It is
// described by what it changes in a valid message of the UPF's own dialect.
type knownInput struct {
	id, title string
	reported  string // where
	make      func(g *target) []Input
}

// edit changes an establishment with every kind of rule.
func edit(change func(*message)) func(*target) []Input {
	return func(g *target) []Input {
		rules := everything(g.sessions[0].ue, g.t.Fixture, 1)
		m, err := parse(g.peer.Establish(g.t.Writer(), g.peer.Node, g.peer.NextSEID(), &rules))
		if err != nil {
			return nil
		}
		change(m)
		return []Input{{Port: N4, Data: m.bytes()}}
	}
}

// set gives an IE of the n-th group a value.
func set(nth int, value []byte, path ...uint16) func(*message) {
	return func(m *message) {
		if e := m.find(nth, path...); e != nil {
			e.value, e.inner = value, nil
		}
	}
}

// drop leaves an IE of the n-th group out; without a group, one of the message.
func drop(nth int, path ...uint16) func(*message) {
	return func(m *message) {
		typ, list := path[len(path)-1], &m.ies
		if group := m.find(nth, path[:len(path)-1]...); group != nil {
			list = &group.inner
		}
		for i, e := range *list {
			if e.typ == typ {
				*list = append((*list)[:i:i], (*list)[i+1:]...)
				return
			}
		}
	}
}

// add appends an IE to the n-th group of a type.
func add(nth int, typ uint16, value []byte, path ...uint16) func(*message) {
	return func(m *message) {
		if group := m.find(nth, path...); group != nil {
			group.inner = append(group.inner, &element{typ: typ, value: value})
		}
	}
}

// raw is a message as it stands, behind a sequence number.
func raw(octets ...byte) func(*target) []Input {
	return func(g *target) []Input {
		m := &message{header: [16]byte(append(bytes.Clone(octets[:8]), make([]byte, 8)...)), ies: elements(octets[8:]), tail: nil}
		m.setSequence(g.peer.NextSequence())
		data := append(m.header[:8:8], octets[8:]...)
		data[3] = byte(len(data) - 4)
		return []Input{{Port: N4, Data: data}}
	}
}

// modified is a modification of the attacker's first session.
func modified(elements ...*element) func(*target) []Input {
	return func(g *target) []Input {
		change := changed(g.sessions[0].ue, g.t.Fixture, 0)
		m, err := parse(g.peer.Modify(g.t.Writer(), g.sessions[0].seid, &change))
		if err != nil {
			return nil
		}
		m.ies = elements
		return []Input{{Port: N4, Data: m.bytes()}}
	}
}

func group(typ uint16, inner ...*element) *element { return &element{typ: typ, inner: inner} }

func leaf(typ uint16, value ...byte) *element { return &element{typ: typ, value: value} }

// inTunnel is a G-PDU of the attacker's first session.
func inTunnel(tpdu ...byte) func(*target) []Input {
	return func(g *target) []Input {
		o := packet.Outer{TEID: g.sessions[0].ue.TEID, QFI: 9}
		return []Input{{Port: N3, Data: o.Encapsulate(tpdu)[28:]}}
	}
}

// knownCases is a case for each.
func knownCases() (list []b.Case) {
	for _, k := range knownInputs() {
		list = append(list, b.Case{ID: "attack.known." + k.id, Title: k.title + " does no harm",
			Clause: "TS 29.244 7.6; TS 33.513 4.2.2.8; reported as " + k.reported,
			Upsets: true, Keeps: ".yaml", Steps: func(*b.Fixture) []b.Step { return []b.Step{k.step()} }})
	}
	return list
}

var (
	ohc      = []uint16{ie.CreateFAR, ie.ForwardingParameters, ie.OuterHeaderCreation}
	fteid    = []uint16{ie.CreatePDR, ie.PDI, ie.FTEID}
	sdf      = []uint16{ie.CreatePDR, ie.PDI, ie.SDFFilter}
	farOfPDR = []uint16{ie.CreatePDR, ie.FARID}
)
