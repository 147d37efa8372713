// Package handed takes the packets that the datapath hands on: they are held, copied, or answered as the UE's router does.
package handed

import (
	"bytes"
	"net/netip"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/icmp4"
	"github.com/upflab/upflab/upf/icmp6"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/hold"
	"github.com/upflab/upflab/upf/n4/report"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/session"
)

// Packets is what becomes of packets that the datapath hands on: they are held, copied, or answered as the UE's router
// does.
type Packets struct {
	Sessions *association.Sessions
	Held     *hold.Holding
	Reports  *report.Reports
	N3       netip.Addr
	Forward  func(to forward.Tunnel, tpdu []byte) // Config.Forward
	// SendICMP and SendICMPv6 are the Config's.
	SendICMP, SendICMPv6 func(to netip.Addr, message []byte)
	*tally.Tally

	Notices chan datapath.Notice
}

// Hold keeps a packet that the datapath handed on, and has the CP function told of the first of its flow.
func (s *Packets) Hold(p datapath.Held, now time.Time) {
	one := s.Sessions.Get(p.SEID)
	if one == nil {
		return
	}
	one.Lock()
	defer one.Unlock()
	rules := one.Rules.Rules()
	if !hold.Waits(rules, &p) {
		return
	}
	s.Reports.Came(one, rules, now)
	switch due := s.Held.Take(&one.Extra().Buffer, p, rules, now); {
	case due.IsZero():
	case due.After(now):
		s.Reports.Timers.Add(due, one.Up)
	default:
		s.Reports.Notify(one, now)
	}
}

// Copy sends the copies of a packet that the datapath handed on.
func (s *Packets) Copy(p datapath.Held) {
	if one := s.Sessions.Get(p.SEID); one != nil {
		one.Lock()
		rules := one.Rules.Rules()
		one.Unlock()
		s.Held.SendCopies(p, rules)
	}
}

// noticeMax is what an answer holds of the packet that it is about, octets: of an ICMPv6 error, which
// has 1280. It is NOTICE_MAX of xdp/bpf/notice.h.
const noticeMax = 1232

// Noticed is called by the datapath with a packet to be answered. It is lost where too many wait.
func (s *Packets) Noticed(n datapath.Notice) {
	if len(s.Notices) == cap(s.Notices) { // before the packet is copied
		return
	}
	if n.MTU > 0 || n.Expired { // the answer is an error
		n.Packet = n.Packet[:min(len(n.Packet), noticeMax)]
	}
	n.Packet = bytes.Clone(n.Packet)
	select {
	case s.Notices <- n:
	default:
	}
}

// Answer answers as the UE's router: neighbour discovery on the UE's link, that a packet is too
// big, to either side, and that a UE's packet has no hop left. The session's lock is held while it is
// sent.
func (s *Packets) Answer(n datapath.Notice, now time.Time) {
	one := s.Sessions.Get(n.SEID)
	if one == nil {
		return
	}
	one.Lock()
	defer one.Unlock()
	if one.Rules.IsZero() || !one.Extra().Notices.Take(now) {
		return
	}
	if n.Expired {
		s.answerExpired(one.Rules.Rules(), n)
		return
	}
	if n.MTU > 0 && len(n.Packet) > 0 && n.Packet[0]>>4 == 4 {
		s.answerTooBig(one.Rules.Rules(), n)
		return
	}
	if n.MTU > 0 && !n.Uplink {
		s.tellSender(n.Packet, icmp6.TooBig(n.Packet, n.MTU), func(c *tally.Counters) { c.TooBigSent++ })
		return
	}
	s.answerUE(one.Rules.Rules(), n)
}

// answerTooBig tells a host on N6 what fits the tunnel, and a UE what fits N6.
func (s *Packets) answerTooBig(rules *session.Rules, n datapath.Notice) {
	if n.Uplink {
		if answer := icmp4.TooBigPacket(n.Packet, n.MTU, s.N3); answer != nil {
			s.sendToUE(rules, answer, answer, func(c *tally.Counters) { c.TooBigSent++ })
		}
		return
	}
	s.tellSender(n.Packet, icmp4.TooBig(n.Packet, n.MTU), func(c *tally.Counters) { c.TooBigSent++ })
}

// tellSender sends the host on N6 that a packet came from a message about it; nil: there is none.
func (s *Packets) tellSender(packet, message []byte, count func(*tally.Counters)) {
	six := len(packet) > 0 && packet[0]>>4 == 6
	switch {
	case message == nil:
		return
	case six && s.SendICMPv6 != nil:
		s.SendICMPv6(netip.AddrFrom16([16]byte(packet[8:24])), message)
	case !six && s.SendICMP != nil:
		s.SendICMP(netip.AddrFrom4([4]byte(packet[12:16])), message)
	default:
		return
	}
	s.Count(count)
}

// answerExpired tells a UE, or a host on N6, that its packet had no hop left.
func (s *Packets) answerExpired(rules *session.Rules, n datapath.Notice) {
	count := func(c *tally.Counters) { c.ExpiredSent++ }
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
		if answer := icmp4.ExpiredPacket(n.Packet, s.N3); answer != nil {
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
func (s *Packets) answerUE(rules *session.Rules, n datapath.Notice) {
	prefix, ok := prefixOf(rules)
	if !ok {
		return
	}
	answer, count := icmp6.Answer(n.Packet, prefix), func(c *tally.Counters) { c.Advertised++ }
	if n.MTU > 0 {
		answer, count = icmp6.TooBigPacket(n.Packet, n.MTU), func(c *tally.Counters) { c.TooBigSent++ }
	}
	if answer != nil {
		s.sendToUE(rules, answer, probe(prefix), count)
	}
}

// sendToUE sends a UE a packet, in the tunnel that one like another goes into.
func (s *Packets) sendToUE(rules *session.Rules, packet, like []byte, count func(*tally.Counters)) {
	if s.Forward == nil {
		return
	}
	by, err := forward.NewResolver(rules)
	if err != nil {
		return
	}
	if to, _, ok := by.Resolve(0, datapath.Held{TPDU: like}); ok && to != nil {
		s.Forward(*to, packet)
		s.Count(count)
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
