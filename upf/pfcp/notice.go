package pfcp

import (
	"bytes"
	"net/netip"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/icmp4"
	"github.com/upflab/upflab/upf/icmp6"
	"github.com/upflab/upflab/upf/session"
)

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

// noticed is the datapath's: a packet to be answered. It is lost where too many wait.
func (s *Server) noticed(n datapath.Notice) {
	n.Packet = bytes.Clone(n.Packet)
	select {
	case s.notices <- n:
	default:
	}
}

// answerNotice answers as the UE's router: Router Advertisements, and Packet Too Big to
// either side.
func (s *Server) answerNotice(n datapath.Notice, now time.Time) {
	s.mu.Lock()
	one := s.sessions[n.SEID]
	s.mu.Unlock()
	if one == nil {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.rules.IsZero() || !one.extra().notices.take(now) {
		return
	}
	if n.MTU > 0 && len(n.Packet) > 0 && n.Packet[0]>>4 == 4 {
		s.answerTooBig(n)
		return
	}
	if n.MTU > 0 && !n.Uplink {
		if m := icmp6.TooBig(n.Packet, n.MTU); m != nil && s.cfg.SendICMPv6 != nil {
			s.cfg.SendICMPv6(netip.AddrFrom16([16]byte(n.Packet[8:24])), m)
			s.count(func(c *Counters) { c.TooBigSent++ })
		}
		return
	}
	s.answerUE(one.rules.Rules(), n)
}

// answerTooBig tells a host on N6 what fits the tunnel.
func (s *Server) answerTooBig(n datapath.Notice) {
	if n.Uplink || s.cfg.SendICMP == nil {
		return
	}
	if m := icmp4.TooBig(n.Packet, n.MTU); m != nil {
		s.cfg.SendICMP(netip.AddrFrom4([4]byte(n.Packet[12:16])), m)
		s.count(func(c *Counters) { c.TooBigSent++ })
	}
}

// answerUE sends a UE the answer, in the tunnel that its packets go into.
func (s *Server) answerUE(rules *session.Rules, n datapath.Notice) {
	prefix, ok := prefixOf(rules)
	if !ok || s.cfg.Forward == nil {
		return
	}
	answer, count := icmp6.Answer(n.Packet, prefix), func(c *Counters) { c.Advertised++ }
	if n.MTU > 0 {
		answer, count = icmp6.TooBigPacket(n.Packet, n.MTU), func(c *Counters) { c.TooBigSent++ }
	}
	if answer == nil {
		return
	}
	by, err := forward.NewResolver(rules)
	if err != nil {
		return
	}
	if to, _, ok := by.Resolve(0, datapath.Held{TPDU: probe(prefix)}); ok && to != nil {
		s.cfg.Forward(*to, answer)
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
