package pfcp

import (
	"bytes"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/icmp4"
	"github.com/upflab/upflab/upf/icmp6"
	"github.com/upflab/upflab/upf/session"
)

// buffer is what a session holds. The session's lock guards it.
type buffer struct {
	packets []datapath.Held
	flows   []heldFlow // whose packets wait that the CP function is to know of
}

// heldFlow is a QoS flow whose packets wait: the CP function is told of the first of each (TS 23.502 clause
// 4.2.3.3 step 2a, TS 29.244 clause 8.2.26).
type heldFlow struct {
	flowKey
	due time.Time // when the CP function is to be told; zero: it was
}

// flowKey tells flows apart: by what they wait for, and by the QFI, 0 for none, that they will have.
type flowKey struct {
	far uint32
	qfi uint8
}

// flowOf is the flow of a packet that waits.
func flowOf(r *session.Rules, pdr *session.PDR, h *datapath.Held) flowKey {
	qfi, _, _ := markOf(r, pdr, *h)
	return flowKey{pdr.FAR, qfi}
}

// first is the first packet of a flow that waits.
func (b *buffer) first(f flowKey, r *session.Rules) *datapath.Held {
	for i := range b.packets {
		p := &b.packets[i]
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

// holding keeps downlink packets until their FARs forward (BUFF), and sends copies (DUPL). A
// session's lock guards its buffer; holding itself has the packets that the datapath handed on and
// that wait to be looked at, and how much all sessions hold.
type holding struct {
	holder  datapath.Holder // nil: packets are not held
	copies  bool            // packets can be copied
	forward func(to forward.Tunnel, tpdu []byte)
	*tally

	arrivals, duplicates chan datapath.Held
	octets               atomic.Int64 // that all sessions hold
}

func newHolding(cfg *Config, h datapath.Holder, t *tally) *holding {
	l := &holding{
		copies: h != nil, forward: cfg.Forward, tally: t,
		arrivals: make(chan datapath.Held, 1024), duplicates: make(chan datapath.Held, 1024),
	}
	if cfg.Buffering == BufferHold {
		l.holder = h
	}
	if h != nil {
		h.OnHold(l.arrived)
	}
	return l
}

// offers are the actions that FARs may have.
func (l *holding) offers() session.Action {
	switch {
	case l.holder != nil:
		return session.All
	case l.copies:
		return session.Basic | session.Duplicate
	}
	return session.Basic
}

// dropInstead makes FARs that buffer drop.
func (l *holding) dropInstead(r *session.Rules) {
	for i := range r.FARs {
		if f := &r.FARs[i]; f.Action&^session.Notify == session.Buffer {
			f.Action = session.Drop
			l.count(func(c *Counters) { c.BufferDrop++ })
		}
	}
}

// arrived is called by the datapath with a packet to be held or copied. The packet is lost when
// too many wait.
func (l *holding) arrived(h datapath.Held) {
	h.TPDU = bytes.Clone(h.TPDU)
	to, lost := l.arrivals, func(c *Counters) { c.BufferLost++ }
	if h.Copy {
		to, lost = l.duplicates, func(c *Counters) { c.CopiesLost++ }
	}
	select {
	case to <- h:
	default:
		l.count(lost)
	}
}

// waits reports whether a packet that was handed on is to be kept, or to be sent: it is not dropped meanwhile.
func waits(rules *session.Rules, p *datapath.Held) bool {
	pdr, far, _ := rulesOf(rules, p.PDR)
	return far != nil && far.Action&session.Drop == 0 && rules.IsOpen(pdr)
}

// take keeps a packet that waits, by the session's rules, and says when the CP function has to be told of its flow;
// zero: it was, or has not to be.
func (l *holding) take(b *buffer, p datapath.Held, rules *session.Rules, now time.Time) (due time.Time) {
	pdr, far, bar := rulesOf(rules, p.PDR)
	switch {
	case far.Action&session.Forward != 0: // it forwards meanwhile
		b.packets = append(b.packets, p)
		l.octets.Add(int64(len(p.TPDU)))
		l.deliver(b, rules)
		return due
	case len(b.packets) >= room(bar) || !l.reserve(len(p.TPDU)):
		l.count(func(c *Counters) { c.BufferLost++ })
		return due
	}
	b.packets = append(b.packets, p)
	l.count(func(c *Counters) { c.Buffered++ })
	flow := flowOf(rules, pdr, &p)
	if far.Action&session.Notify == 0 || slices.ContainsFunc(b.flows, func(f heldFlow) bool { return f.flowKey == flow }) {
		return due
	}
	if due = now; bar != nil {
		due = now.Add(bar.Delay)
	}
	b.flows = append(b.flows, heldFlow{flow, due})
	return due
}

// reserve counts what is about to be held, where all sessions together have room for it.
func (l *holding) reserve(octets int) bool {
	if l.octets.Add(int64(octets)) <= heldOctets {
		return true
	}
	l.octets.Add(-int64(octets))
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

// deliver sends the packets whose FARs forward now, in the order in which they came,
// and forgets those whose FARs drop. The rules are the session's, or about to be. b may be nil.
func (l *holding) deliver(b *buffer, rules *session.Rules) {
	if b == nil || len(b.packets) == 0 {
		return
	}
	var resolver *forward.Resolver
	var err error
	kept := b.packets[:0]
	for _, p := range b.packets {
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
		l.octets.Add(-int64(len(p.TPDU)))
		l.deliverOne(p, teid, resolver)
	}
	if b.packets = kept; len(kept) == 0 {
		*b = buffer{}
		return
	}
	b.flows = slices.DeleteFunc(b.flows, func(f heldFlow) bool { return b.first(f.flowKey, rules) == nil })
}

func (l *holding) deliverOne(p datapath.Held, teid uint32, by *forward.Resolver) {
	tunnel, urrs, ok := by.Resolve(teid, p)
	if !ok || tunnel == nil || l.forward == nil {
		l.count(func(c *Counters) { c.BufferLost++ })
		return
	}
	octets := uint64(len(p.TPDU))
	if teid == 0 && !p.Routed { // else it stays in tunnels, or has its TTL
		forward.Age(p.TPDU)
	}
	l.forward(*tunnel, p.TPDU)
	for _, urr := range urrs {
		l.holder.Count(p.SEID, urr, session.Count{Packets: 1, Octets: octets})
	}
	l.count(func(c *Counters) { c.BufferSent++ })
}

// forget drops what a session holds. b may be nil.
func (l *holding) forget(b *buffer) {
	if b == nil {
		return
	}
	for _, p := range b.packets {
		l.octets.Add(-int64(len(p.TPDU)))
	}
	*b = buffer{}
}

// sendCopies sends a packet into each of the tunnels that its FAR gives.
func (l *holding) sendCopies(h datapath.Held, rules *session.Rules) {
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
	qfi, rqi, ppi := markOf(rules, pdr, h)
	for _, c := range far.Copies {
		t := forward.Tunnel{TEID: c.TEID, QFI: qfi, RQI: rqi, PPI: ppi, Marking: c.Marking, Uplink: pdr.PDI.Source == session.Access}
		if c.Peer.Is4() {
			t.Peer = c.Peer.As4()
		} else {
			t.Peer6 = c.Peer
		}
		l.forward(t, h.TPDU)
	}
	l.count(func(c *Counters) { c.CopiesSent += uint64(len(far.Copies)) })
}

// markOf is the QFI of a packet's copies: its QERs', as downlink, or its own; and their Paging Policy Indicator.
func markOf(r *session.Rules, p *session.PDR, h datapath.Held) (qfi uint8, rqi bool, ppi session.PPI) {
	qfi, rqi, ppi = r.Mark(p)
	if qfi == 0 || p.PDI.Source != session.Core {
		qfi, rqi = h.QFI, h.RQI
	}
	return qfi, rqi, ppi
}

// noticesPerSecond bounds the answers for a session, so that a UE cannot make the UPF work
// for it alone (RFC 4443 clause 2.4 f).
const noticesPerSecond = 10

// noticeBudget is what of it a session has used in a second. Its lock guards it.
type noticeBudget struct {
	second int64
	used   int
}

func (b *noticeBudget) take(now time.Time) bool {
	if second := now.Unix(); second != b.second {
		*b = noticeBudget{second: second}
	}
	b.used++
	return b.used <= noticesPerSecond
}

// noticeMax is what an answer holds of the packet that it is about, octets: of an ICMPv6 error, which
// has 1280. It is NOTICE_MAX of xdp/bpf/notice.h.
const noticeMax = 1232

// noticed is the datapath's: a packet to be answered. It is lost where too many wait.
func (s *Server) noticed(n datapath.Notice) {
	if len(s.notices) == cap(s.notices) { // before the packet is copied
		return
	}
	if n.MTU > 0 || n.Expired { // the answer is an error
		n.Packet = n.Packet[:min(len(n.Packet), noticeMax)]
	}
	n.Packet = bytes.Clone(n.Packet)
	select {
	case s.notices <- n:
	default:
	}
}

// answerNotice answers as the UE's router: neighbour discovery on the UE's link, that a packet is too
// big, to either side, and that a UE's packet has no hop left. The session's lock is held while it is
// sent.
func (s *Server) answerNotice(n datapath.Notice, now time.Time) {
	one := s.sessions.get(n.SEID)
	if one == nil {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.rules.IsZero() || !one.extra().notices.take(now) {
		return
	}
	if n.Expired {
		s.answerExpired(one.rules.Rules(), n)
		return
	}
	if n.MTU > 0 && len(n.Packet) > 0 && n.Packet[0]>>4 == 4 {
		s.answerTooBig(one.rules.Rules(), n)
		return
	}
	if n.MTU > 0 && !n.Uplink {
		s.tellSender(n.Packet, icmp6.TooBig(n.Packet, n.MTU), func(c *Counters) { c.TooBigSent++ })
		return
	}
	s.answerUE(one.rules.Rules(), n)
}

// answerTooBig tells a host on N6 what fits the tunnel, and a UE what fits N6.
func (s *Server) answerTooBig(rules *session.Rules, n datapath.Notice) {
	if n.Uplink {
		if answer := icmp4.TooBigPacket(n.Packet, n.MTU, s.cfg.N3); answer != nil {
			s.sendToUE(rules, answer, answer, func(c *Counters) { c.TooBigSent++ })
		}
		return
	}
	s.tellSender(n.Packet, icmp4.TooBig(n.Packet, n.MTU), func(c *Counters) { c.TooBigSent++ })
}

// tellSender sends the host on N6 that a packet came from a message about it; nil: there is none.
func (s *Server) tellSender(packet, message []byte, count func(*Counters)) {
	six := len(packet) > 0 && packet[0]>>4 == 6
	switch {
	case message == nil:
		return
	case six && s.cfg.SendICMPv6 != nil:
		s.cfg.SendICMPv6(netip.AddrFrom16([16]byte(packet[8:24])), message)
	case !six && s.cfg.SendICMP != nil:
		s.cfg.SendICMP(netip.AddrFrom4([4]byte(packet[12:16])), message)
	default:
		return
	}
	s.count(count)
}

// answerExpired tells a UE, or a host on N6, that its packet had no hop left.
func (s *Server) answerExpired(rules *session.Rules, n datapath.Notice) {
	count := func(c *Counters) { c.ExpiredSent++ }
	four := len(n.Packet) > 0 && n.Packet[0]>>4 == 4
	if !n.Uplink {
		message := icmp6.Expired
		if four {
			message = icmp4.Expired
		}
		s.tellSender(n.Packet, message(n.Packet), count)
		return
	}
	if four {
		if answer := icmp4.ExpiredPacket(n.Packet, s.cfg.N3); answer != nil {
			s.sendToUE(rules, answer, answer, count)
		}
		return
	}
	prefix, ok := prefixOf(rules)
	if answer := icmp6.ExpiredPacket(n.Packet); ok && answer != nil {
		s.sendToUE(rules, answer, probe(prefix), count)
	}
}

// answerUE sends a UE the answer, in the tunnel that its packets go into.
func (s *Server) answerUE(rules *session.Rules, n datapath.Notice) {
	prefix, ok := prefixOf(rules)
	if !ok {
		return
	}
	answer, count := icmp6.Answer(n.Packet, prefix), func(c *Counters) { c.Advertised++ }
	if n.MTU > 0 {
		answer, count = icmp6.TooBigPacket(n.Packet, n.MTU), func(c *Counters) { c.TooBigSent++ }
	}
	if answer != nil {
		s.sendToUE(rules, answer, probe(prefix), count)
	}
}

// sendToUE sends a UE a packet, in the tunnel that one like another goes into.
func (s *Server) sendToUE(rules *session.Rules, packet, like []byte, count func(*Counters)) {
	if s.cfg.Forward == nil {
		return
	}
	by, err := forward.NewResolver(rules)
	if err != nil {
		return
	}
	if to, _, ok := by.Resolve(0, datapath.Held{TPDU: like}); ok && to != nil {
		s.cfg.Forward(*to, packet)
		s.count(count)
	}
}

// prefixOf is the IPv6 prefix that the session's downlink packets have.
func prefixOf(r *session.Rules) (netip.Prefix, bool) {
	for i := range r.PDRs {
		if p := &r.PDRs[i].PDI; p.Source == session.Core && p.UE6.IsValid() {
			return p.UE6, true
		}
	}
	return netip.Prefix{}, false
}

// probe is a packet to the UE from anywhere, which says what becomes of one.
func probe(prefix netip.Prefix) []byte {
	b := make([]byte, 40)
	from, to := netip.AddrFrom16([16]byte{0: 0x20, 15: 1}).As16(), prefix.Addr().As16()
	b[0], b[6], b[7] = 0x60, 58, 64
	copy(b[8:], from[:])
	copy(b[24:], to[:])
	return b
}
