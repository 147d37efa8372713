// Package hold keeps downlink packets until their FARs forward (BUFF), and sends copies (DUPL).
package hold

import (
	"bytes"
	"slices"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/session"
)

// Buffer is what a session holds. The session's lock guards it.
type Buffer struct {
	Packets []datapath.Held
	Flows   []heldFlow // whose packets wait that the CP function is to know of
}

// heldFlow is a QoS flow whose packets wait: the CP function is told of the first of each (TS 23.502 clause
// 4.2.3.3 step 2a, TS 29.244 clause 8.2.26).
type heldFlow struct {
	FlowKey
	Due time.Time // when the CP function is to be told; zero: it was
}

// FlowKey tells flows apart: by what they wait for, and by the QFI, 0 for none, that they will have.
type FlowKey struct {
	far uint32
	qfi uint8
}

// flowOf is the flow of a packet that waits.
func flowOf(r *session.Rules, pdr *session.PDR, h *datapath.Held) FlowKey {
	qfi, _, _ := MarkOf(r, pdr, *h)
	return FlowKey{pdr.FAR, qfi}
}

// First is the first packet of a flow that waits.
func (b *Buffer) First(f FlowKey, r *session.Rules) *datapath.Held {
	for i := range b.Packets {
		p := &b.Packets[i]
		if pdr := r.FindPDR(p.PDR); pdr != nil && flowOf(r, pdr, p) == f {
			return p
		}
	}
	return nil
}

// Bounds of what is held.
const (
	heldPackets = 64       // of a session, where no BAR says otherwise
	heldMost    = 255      // the same, whatever a BAR says
	heldOctets  = 64 << 20 // of all sessions
)

// Holding keeps downlink packets until their FARs forward (BUFF), and sends copies (DUPL). A
// session's lock guards its buffer; holding itself has the packets that the datapath handed on and
// that wait to be looked at, and how much all sessions hold.
type Holding struct {
	Holder  datapath.Holder // nil: packets are not held
	copies  bool            // packets can be copied
	forward func(to forward.Tunnel, tpdu []byte)
	*tally.Tally

	Arrivals, Duplicates chan datapath.Held
	Octets               atomic.Int64 // that all sessions hold
}

// New makes it for a datapath that hands packets on, or nil. Without holds packets are copied only.
func New(h datapath.Holder, holds bool, forward func(to forward.Tunnel, tpdu []byte), t *tally.Tally) *Holding {
	l := &Holding{
		copies: h != nil, forward: forward, Tally: t,
		Arrivals: make(chan datapath.Held, 1024), Duplicates: make(chan datapath.Held, 1024),
	}
	if holds {
		l.Holder = h
	}
	if h != nil {
		h.OnHold(l.arrived)
	}
	return l
}

// Offers are the actions that FARs may have.
func (l *Holding) Offers() session.Action {
	switch {
	case l.Holder != nil:
		return session.All
	case l.copies:
		return session.Basic | session.Duplicate
	}
	return session.Basic
}

// DropInstead makes FARs that buffer drop.
func (l *Holding) DropInstead(r *session.Rules) {
	for i := range r.FARs {
		if f := &r.FARs[i]; f.Action&^session.Notify == session.Buffer {
			f.Action = session.Drop
			l.Count(func(c *tally.Counters) { c.BufferDrop++ })
		}
	}
}

// arrived is called by the datapath with a packet to be held or copied. The packet is lost when
// too many wait.
func (l *Holding) arrived(h datapath.Held) {
	h.TPDU = bytes.Clone(h.TPDU)
	to, lost := l.Arrivals, func(c *tally.Counters) { c.BufferLost++ }
	if h.Copy {
		to, lost = l.Duplicates, func(c *tally.Counters) { c.CopiesLost++ }
	}
	select {
	case to <- h:
	default:
		l.Count(lost)
	}
}

// Waits reports whether a packet that was handed on is to be kept, or to be sent: it is not dropped meanwhile.
func Waits(rules *session.Rules, p *datapath.Held) bool {
	pdr, far, _ := rulesOf(rules, p.PDR)
	return far != nil && far.Action&session.Drop == 0 && rules.IsOpen(pdr)
}

// Take keeps a packet that waits, by the session's rules, and says when the CP function has to be told of its flow;
// zero: it was, or has not to be.
func (l *Holding) Take(b *Buffer, p datapath.Held, rules *session.Rules, now time.Time) (due time.Time) {
	pdr, far, bar := rulesOf(rules, p.PDR)
	switch {
	case far.Action&session.Forward != 0: // it forwards meanwhile
		b.Packets = append(b.Packets, p)
		l.Octets.Add(int64(len(p.TPDU)))
		l.Deliver(b, rules)
		return due
	case len(b.Packets) >= room(bar) || !l.reserve(len(p.TPDU)):
		l.Count(func(c *tally.Counters) { c.BufferLost++ })
		return due
	}
	b.Packets = append(b.Packets, p)
	l.Count(func(c *tally.Counters) { c.Buffered++ })
	flow := flowOf(rules, pdr, &p)
	if far.Action&session.Notify == 0 || slices.ContainsFunc(b.Flows, func(f heldFlow) bool { return f.FlowKey == flow }) {
		return due
	}
	if due = now; bar != nil {
		due = now.Add(bar.Delay)
	}
	b.Flows = append(b.Flows, heldFlow{flow, due})
	return due
}

// reserve counts what is about to be held, where all sessions together have room for it.
func (l *Holding) reserve(octets int) bool {
	if l.Octets.Add(int64(octets)) <= heldOctets {
		return true
	}
	l.Octets.Add(-int64(octets))
	return false
}

// room is how many packets a session may hold.
func room(bar *session.BAR) int {
	if bar == nil || bar.Packets == 0 {
		return heldPackets
	}
	return min(bar.Packets, heldMost)
}

// rulesOf are a PDR, its FAR and its BAR, nil where there is none.
func rulesOf(r *session.Rules, id uint16) (pdr *session.PDR, far *session.FAR, bar *session.BAR) {
	if r == nil {
		return nil, nil, nil
	}
	if pdr = r.FindPDR(id); pdr == nil {
		return nil, nil, nil
	}
	far = r.FindFAR(pdr.FAR)
	return pdr, far, r.FindBAR(far.BAR)
}

// Deliver sends the packets whose FARs forward now, in the order in which they came,
// and forgets those whose FARs drop. The rules are the session's, or about to be. b may be nil.
func (l *Holding) Deliver(b *Buffer, rules *session.Rules) {
	if b == nil || len(b.Packets) == 0 {
		return
	}
	var resolver *forward.Resolver
	var err error
	kept := b.Packets[:0]
	for _, p := range b.Packets {
		teid := uint32(0)
		if pdr := rules.FindPDR(p.PDR); pdr != nil {
			teid = pdr.PDI.TEID
			if far := rules.FindFAR(pdr.FAR); far != nil && far.Action&session.Buffer != 0 {
				kept = append(kept, p)
				continue
			}
		}
		if resolver == nil {
			if resolver, err = forward.NewResolver(rules); err != nil {
				return // the datapath refuses them, too
			}
		}
		l.Octets.Add(-int64(len(p.TPDU)))
		l.deliverOne(p, teid, resolver)
	}
	if b.Packets = kept; len(kept) == 0 {
		*b = Buffer{}
		return
	}
	b.Flows = slices.DeleteFunc(b.Flows, func(f heldFlow) bool { return b.First(f.FlowKey, rules) == nil })
}

func (l *Holding) deliverOne(p datapath.Held, teid uint32, by *forward.Resolver) {
	tunnel, urrs, ok := by.Resolve(teid, p)
	if !ok || tunnel == nil || l.forward == nil {
		l.Count(func(c *tally.Counters) { c.BufferLost++ })
		return
	}
	octets := uint64(len(p.TPDU))
	if teid == 0 && !p.Routed { // else it stays in tunnels, or has its TTL
		forward.Age(p.TPDU)
	}
	l.forward(*tunnel, p.TPDU)
	for _, urr := range urrs {
		l.Holder.Count(p.SEID, urr, session.Count{Packets: 1, Octets: octets})
	}
	l.Count(func(c *tally.Counters) { c.BufferSent++ })
}

// Forget drops what a session holds. b may be nil.
func (l *Holding) Forget(b *Buffer) {
	if b == nil {
		return
	}
	for _, p := range b.Packets {
		l.Octets.Add(-int64(len(p.TPDU)))
	}
	*b = Buffer{}
}

// SendCopies sends a packet into each of the tunnels that its FAR gives.
func (l *Holding) SendCopies(h datapath.Held, rules *session.Rules) {
	if rules == nil || l.forward == nil {
		return
	}
	pdr := rules.FindPDR(h.PDR)
	if pdr == nil {
		return
	}
	far := rules.FindFAR(pdr.FAR)
	if far.Action&session.Duplicate == 0 {
		return
	}
	qfi, rqi, ppi := MarkOf(rules, pdr, h)
	for _, c := range far.Copies {
		t := forward.Tunnel{TEID: c.TEID, QFI: qfi, RQI: rqi, PPI: ppi, Marking: c.Marking, Uplink: pdr.PDI.Source == session.Access}
		if c.Peer.Is4() {
			t.Peer = c.Peer.As4()
		} else {
			t.Peer6 = c.Peer
		}
		l.forward(t, h.TPDU)
	}
	l.Count(func(c *tally.Counters) { c.CopiesSent += uint64(len(far.Copies)) })
}

// MarkOf is the QFI of a packet's copies: its QERs', as downlink, or its own; and their Paging Policy Indicator.
func MarkOf(r *session.Rules, p *session.PDR, h datapath.Held) (qfi uint8, rqi bool, ppi session.PPI) {
	qfi, rqi, ppi = r.Mark(p)
	if qfi == 0 || p.PDI.Source != session.Core {
		qfi, rqi = h.QFI, h.RQI
	}
	return qfi, rqi, ppi
}
