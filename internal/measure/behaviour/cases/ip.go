package cases

import (
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// outerMost is the most that a tunnel adds to a packet, octets: IPv4, UDP, GTP-U with a
// PDU session container.
const outerMost = 20 + 8 + 16

// wellKnown are ports that middleboxes look into: DNS, DHCP, HTTP, NTP, SNMP, HTTPS, IKE, SIP.
var wellKnown = []uint16{53, 67, 68, 80, 123, 161, 443, 500, 4500, 5060}

func ip() (list []Case) {
	// What is asked of one packet each way in IPv6, too; the rest is of IPv4's header.
	sixToo := map[string]bool{"protocol.tcp": true, "protocol.sctp": true, "protocol.esp": true, "dscp": true, "padding": true, "ttl": true}
	both := func(id, title, clause string, change func(p *b.Packet)) Case {
		return Case{ID: "ip." + id, Both: sixToo[id], Title: title, Clause: clause, Steps: steps(func(u *b.UE, g *fixture) []step {
			up, down := b.Up(u, "of that kind"), b.Down(u, "of that kind")
			change(&up)
			change(&down)
			return []step{b.Establish(u, b.Plain(u, g)), b.Send(up, down)}
		})}
	}
	for _, x := range []struct {
		name     string
		protocol uint8
	}{{"tcp", packet.TCP}, {"icmp", packet.ICMP}, {"sctp", packet.SCTP}, {"esp", packet.ESP}} {
		list = append(list, both("protocol."+x.name, "Packets of protocol "+x.name+" are forwarded", "TS 23.501 5.6.10.2", func(p *b.Packet) {
			p.Protocol, p.SPI = x.protocol, 0x1234
		}))
	}
	list = append(list,
		both("dscp", "The type of service of the UE's packets is kept", "RFC 2474; TS 23.501 5.6.10.2", func(p *b.Packet) { p.TOS = 0xb8 }),
		both("padding", "Packets that are shorter than what a link carries arrive without its padding", "IEEE 802.3 3.2.8; RFC 894",
			func(p *b.Packet) { p.Name, p.Length = "of 44 octets", 44 }),
		both("identification", "The identification of the UE's packets is kept", "RFC 791 3.1; RFC 6864 5.3",
			func(p *b.Packet) { p.ID = 0x1234 }),
		Case{ID: "ip.flags", Title: "DF stays as the sender has set it", Clause: "RFC 791 2.3, 3.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				up, down := b.Up(u, "with DF"), b.Down(u, "with DF")
				up.DontFragment, down.DontFragment = true, true
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "without DF"), b.Down(u, "without DF"), up, down)}
			})},
		both("checksum", "The IPv4 header checksum of forwarded packets is right", "RFC 1812 4.2.2.5, 5.2.2", func(p *b.Packet) { p.Name = "" }),
		Case{ID: "ip.ecn", Both: true, Title: "The ECN field of the UE's packets is kept",
			Clause: "RFC 3168 5; RFC 6040 4; TS 23.501 5.6.10.2", Steps: steps(func(u *b.UE, g *fixture) []step {
				var list []b.Packet
				for _, tos := range []uint8{1, 2, 3, 0xb8 | 2} {
					for _, p := range []b.Packet{b.Up(u, flow("with type of service %#02x", tos)), b.Down(u, flow("with type of service %#02x", tos))} {
						p.TOS = tos
						list = append(list, p)
					}
				}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(list...)}
			})},
		both("options", "Packets with IPv4 options are forwarded", "RFC 791", func(p *b.Packet) { p.Options = []byte{1, 1, 1, 0} }),
		both("fragment.first", "First fragments are forwarded", "RFC 791; TS 23.501 5.6.10.2",
			func(p *b.Packet) { p.MoreFragments, p.ID = true, 7 }),
		both("fragment.later", "Later fragments, which have no ports, are forwarded", "RFC 791; TS 23.501 5.6.10.2",
			func(p *b.Packet) { p.Offset, p.ID = 160, 7 }),
		both("ttl", "The TTL is lowered by one", "RFC 1812 5.3.1", func(p *b.Packet) { p.TTL, p.Wants[0].Lower = 64, true }),
		Case{ID: "ip.ttl.expired", Both: true, Title: "A packet with a TTL of 1 goes no further", Clause: "RFC 1812 5.3.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				up, down := b.Up(u, "with a TTL of 1").Lost(), b.Down(u, "with a TTL of 1").Lost()
				up.TTL, down.TTL = 1, 1
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(up, down, b.Down(u, "").Plainly(), b.Up(u, "").Plainly())}
			})},
		Case{ID: "ip.mtu", Both: true, Title: "The largest packet that fits the links passes",
			Clause: "TS 23.501 5.6.10.4; TS 29.281 4.2.2", Steps: steps(func(u *b.UE, g *fixture) []step {
				n := g.MTU - outerMost
				up, down := b.Up(u, flow("of %d octets", n)).Sized(n), b.Down(u, flow("of %d octets", n)).Sized(n)
				up.DontFragment, down.DontFragment = true, true
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(up, down)}
			})},
		Case{ID: "ip.mtu.too-big",
			Title: "A downlink packet with DF that does not fit the tunnel is answered with ICMP Fragmentation " +
				"Needed, or its tunnel is fragmented", Clause: "RFC 1191 4; TS 29.281 4.2.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				p := b.Down(u, flow("of %d octets, which does not fit N3", g.MTU-8)).Sized(g.MTU - 8).Host(g.DN(0))
				p.DontFragment = true
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()), b.TooBig(p)}
			})},
		Case{ID: "ip.exact.uplink", Title: "Of 5000 uplink packets each arrives once, in order, unaltered",
			Clause: "TS 23.501 5.6.10.2", Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Ordered(5000, b.Up(u, "").Sized(101).Times(5000))}
			})},
		Case{ID: "ip.exact.downlink", Title: "Of 5000 downlink packets each arrives once, in order, unaltered",
			Clause: "TS 23.501 5.6.10.2", Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Ordered(5000, b.Down(u, "").Sized(101).Times(5000))}
			})},
		Case{ID: "ip.ports", Title: "Packets of well-known ports arrive once, unaltered", Clause: "TS 23.501 5.6.10.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				var list []b.Packet
				for _, port := range wellKnown {
					for _, by := range []uint8{packet.UDP, packet.TCP} {
						name := flow("of protocol %d and the host's port %d", by, port)
						list = append(list, b.Up(u, name).By(by).Port(port), b.Down(u, name).By(by).Port(port))
					}
					name := flow("of the UE's port %d", port)
					list = append(list, b.Up(u, name).At(port), b.Down(u, name).At(port))
				}
				return []step{b.Establish(u, b.Plain(u, g)), b.SendSlowly(1000, list...)}
			})},
		Case{ID: "ip.v6", Title: "A UE with an IPv6 address has traffic",
			Clause: "TS 23.501 5.6.10.2; TS 29.244 8.2.62", Need: need{Optional: true}, Steps: steps(v6)},
		Case{ID: "ip.v6.uplink",
			Title:  "Uplink packets of a UE with an IPv6 address leave on N6, and those with another source do not",
			Clause: "TS 23.501 5.6.10.2; TS 29.244 8.2.62", Need: need{Optional: true}, Steps: steps(v6Uplink)})
	return list
}

// v6 is the uplink of a UE with an IPv6 address. What comes out on N6 needs an IPv6
// router there, which labs have not; the packet need not arrive, the session must be
// accepted or refused.
func v6(u *b.UE, g *fixture) []step {
	s := b.Plain(u, g)
	s.PDN = 2
	for i := range s.PDRs {
		s.PDRs[i].UE = u.Addr6
	}
	return []step{b.Establish(u, s), b.Send(b.Over6(b.Down(u, "of IPv6")))}
}

// v6Uplink goes to a host on the link of N6, which needs no route.
func v6Uplink(u *b.UE, g *fixture) []step {
	if !g.Six.DN.IsValid() {
		return []step{b.Skip("upflab has not configured this UPF for IPv6 on N6")}
	}
	s := b.Plain(u, g)
	s.PDN = 2
	for i := range s.PDRs {
		s.PDRs[i].UE = u.Addr6
	}
	sound, forged := b.Over6(b.Up(u, "of IPv6")).Host(g.Six.DN),
		b.Over6(b.Up(u, "of IPv6 with a source that is not the UE's")).Host(g.Six.DN).Lost()
	forged.From = g.UE(1).Addr6
	return []step{b.Establish(u, s), b.Send(forged, sound)}
}
