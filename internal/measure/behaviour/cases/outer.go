package cases

import (
	"net/netip"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// outerKind is a kind of tunnel on N6.
type outerKind struct {
	id, name string
	kind     rules.Encapsulation
	six      bool
	removal  uint8 // Outer Header Removal
}

var outerKinds = []outerKind{
	{"udp-ipv4", "UDP/IPv4", rules.UDP, false, 2},
	{"udp-ipv6", "UDP/IPv6", rules.UDP, true, 3},
	{"ipv4", "IPv4", rules.IP, false, 4},
	{"ipv6", "IPv6", rules.IP, true, 5},
}

// remotePort is the UDP port of the data network's end.
const remotePort = 5000

// ends gives the addresses of a kind's outer headers on N6: of the UPF, and of the data network.
func (k *outerKind) ends(g *fixture) (upf, dn netip.Addr) {
	if k.six {
		return g.Six.UPFN6, g.Six.DN
	}
	return g.UPFN6, g.DN(1)
}

// missing says what a lab has not for the kind.
func (k *outerKind) missing(g *fixture) []step {
	if upf, dn := k.ends(g); upf.IsValid() && dn.IsValid() && (k.kind != rules.UDP || g.N6Port != 0) {
		return nil
	}
	return []step{b.Skip("upflab has not configured this UPF for tunnels of " + k.name + " on N6")}
}

// outer are cases of outer headers: of tunnels on N6, and of IPv6 on N3.
func outer() (list []Case) {
	for _, k := range outerKinds {
		list = append(list, Case{ID: "far.outer." + k.id, Title: "Uplink packets leave on N6 in an outer header of " +
			k.name + " that the FAR asks for",
			Clause: "TS 29.244 8.2.56", Need: need{Optional: true}, Steps: steps(k.creation)},
			Case{ID: "pdr.outer." + k.id, Title: "Downlink packets come on N6 in an outer header of " + k.name +
				", which is removed; plain ones are not the PDR's",
				Clause: "TS 29.244 8.2.64", Need: need{Optional: true}, Steps: steps(k.removed)})
	}
	return append(list,
		Case{ID: "far.outer.gtpu-ipv6", Title: "Downlink packets leave in a tunnel to a gNB with an IPv6 address",
			Clause: "TS 29.244 8.2.56; TS 29.281 4.4.2", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return sixOnN3(u, g, func(s *rules.Session) step { return b.Send(down6(u, g)) })
			})},
		Case{ID: "pdr.outer.gtpu-ipv6", Title: "Uplink packets come in a tunnel from a gNB with an IPv6 address",
			Clause: "TS 29.244 8.2.3, 8.2.64; TS 29.281 4.4.2", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return sixOnN3(u, g, func(s *rules.Session) step { return b.Send(up6(u, g)) })
			})},
		Case{ID: "pdr.outer.gtpu-any", Title: "Outer Header Removal 6 takes tunnels of either family",
			Clause: "TS 29.244 8.2.64", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return sixOnN3(u, g, func(s *rules.Session) step {
					s.PDRs[0].Removal = rules.Remove(6)
					return b.Send(up6(u, g), down6(u, g))
				})
			})})
}

// creation has uplink packets leave in an outer header.
func (k *outerKind) creation(u *b.UE, g *fixture) []step {
	if skip := k.missing(g); skip != nil {
		return skip
	}
	upf, dn := k.ends(g)
	s := with(g, func(s *rules.Session) {
		s.FARs[0].Tunnel = &rules.Tunnel{Peer: dn, Kind: k.kind, Port: remotePort}
	})
	p := b.Up(u, "")
	p.Ignored, p.Wants = p.Wants,
		[]b.Want{{Lower: true, Exit: &packet.Wrapping{From: upf, To: dn, UDP: k.kind == rules.UDP, ToPort: remotePort}}}
	return []step{b.Establish(u, s), b.Send(p, b.Down(u, "").Plainly())}
}

// removed has downlink packets come in an outer header.
func (k *outerKind) removed(u *b.UE, g *fixture) []step {
	if skip := k.missing(g); skip != nil {
		return skip
	}
	upf, dn := k.ends(g)
	s := with(g, func(s *rules.Session) { s.PDRs[1].Removal = rules.Remove(k.removal) })
	p := b.Down(u, "in an outer header of "+k.name)
	p.Wrapped = &packet.Wrapping{From: dn, To: upf, UDP: k.kind == rules.UDP, FromPort: remotePort, ToPort: g.N6Port}
	return []step{b.Establish(u, s), b.Send(b.Down(u, "without the outer header").Lost(), p)}
}

// sixOnN3 is a session whose gNB and F-TEID have IPv6 addresses.
func sixOnN3(u *b.UE, g *fixture, send func(*rules.Session) step) []step {
	if !g.Six.UPF.IsValid() {
		return []step{b.Skip("upflab has not configured this UPF for IPv6 on N3")}
	}
	s := with(g, func(s *rules.Session) {
		s.PDRs[0].N3, s.PDRs[0].Removal = g.Six.UPF, rules.Remove(1)
		s.FARs[1].Tunnel = &rules.Tunnel{TEID: u.Tunnel, Peer: g.Six.GNB}
	})
	sent := send(&s)
	return []step{b.Establish(u, s), sent}
}

func up6(u *b.UE, g *fixture) b.Packet {
	p := b.Up(u, "over IPv6")
	p.Outer.From, p.Outer.To = g.Six.GNB, g.Six.UPF
	return p
}

func down6(u *b.UE, g *fixture) b.Packet {
	return b.Down(u, "over IPv6").Into(rules.Tunnel{TEID: u.Tunnel, Peer: g.Six.GNB})
}
