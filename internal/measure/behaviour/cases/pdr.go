package cases

import (
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
)

func pdr() []Case {
	return []Case{
		{ID: "pdr.teid", Title: "Packets of a session's own TEID pass, those of another TEID do not", Clause: "TS 29.244 5.2.1A, 8.2.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				stranger := b.Up(u, "with a TEID that no session has").Lost()
				stranger.Outer.TEID = u.TEID + 0x100000
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(stranger, b.Up(u, ""))}
			})},
		{ID: "pdr.ue-address",
			Title:  "Packets to a session's UE pass, those to an address that no session has do not",
			Clause: "TS 29.244 5.2.1A, 8.2.62",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				stranger := b.Down(u, "to an address of no session").Lost()
				stranger.To = g.UE(1).Addr
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(stranger, b.Down(u, ""))}
			})},
		{ID: "pdr.source-address", Title: "An uplink packet whose source is not the UE's address is dropped",
			Clause: "TS 29.244 5.2.1A, 8.2.62; TS 33.513 4.2.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				forged := b.Up(u, "with a source that is not the UE's").Lost()
				forged.From = g.UE(1).Addr
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(forged, b.Up(u, "").Plainly())}
			})},
		{ID: "pdr.source-address.other-ue", Title: "A UE cannot send as another UE that has a session",
			Clause: "TS 29.244 5.2.1A, 8.2.62; TS 33.513 4.2.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				v := g.UE(1)
				forged := b.Up(u, "with the source of UE 2").Lost()
				forged.From = v.Addr
				return []step{b.Establish(u, b.Plain(u, g)), b.Establish(v, b.Plain(v, g)),
					b.Send(forged, b.Up(u, "").Plainly(), b.Up(v, "").Plainly())}
			})},
		{ID: "pdr.two-sessions", Title: "Two sessions' packets go each to its own tunnel", Clause: "TS 29.244 5.2.1A",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				v := g.UE(1)
				return []step{b.Establish(u, b.Plain(u, g)), b.Establish(v, b.Plain(v, g)),
					b.Send(b.Down(u, ""), b.Down(v, ""), b.Up(u, ""), b.Up(v, ""), b.Down(u, ""))}
			})},
		{ID: "pdr.precedence", Title: "Of two PDRs that match, the one with the lower precedence value counts",
			Clause: "TS 29.244 5.2.1A, 8.2.11",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, twoTunnels(u, g, 100, 300)), b.Send(into(u, g)...)}
			})},
		{ID: "pdr.precedence.order", Title: "Precedence counts, not the order in which PDRs are created", Clause: "TS 29.244 5.2.1A, 8.2.11",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := twoTunnels(u, g, 100, 300)
				s.PDRs[1], s.PDRs[2] = s.PDRs[2], s.PDRs[1]
				return []step{b.Establish(u, s), b.Send(into(u, g)...)}
			})},
		{ID: "pdr.precedence.update", Title: "Updated precedences count", Clause: "TS 29.244 7.5.4.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := twoTunnels(u, g, 300, 200)
				plain := b.Down(u, "that the PDR without a filter takes first").Host(g.DN(1))
				return []step{b.Establish(u, s), b.Send(plain),
					b.Modify(u, "the filtered PDR comes first", rules.Change{Update: rules.Session{PDRs: first(s.PDRs[2], 50)}}),
					b.Send(into(u, g)...)}
			})},
		{ID: "pdr.qfi", Title: "A PDR with a QFI takes packets of that QoS flow alone", Clause: "TS 29.244 8.2.89",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.PDRs[0].QFIs = []uint8{5} })
				return []step{b.Establish(u, s), b.Send(b.Up(u, "of QFI 7").InFlow(7).Lost(), b.Up(u, "of QFI 5").InFlow(5))}
			})},
		{ID: "pdr.qfi.several", Title: "A PDR with several QFIs takes packets of each", Clause: "TS 29.244 table 7.5.2.2-2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.PDRs[0].QFIs = []uint8{5, 6} })
				return []step{b.Establish(u, s),
					b.Send(b.Up(u, "of QFI 7").InFlow(7).Lost(), b.Up(u, "of QFI 6").InFlow(6),
						b.Up(u, "of QFI 5").InFlow(5))}
			})},
		{ID: "pdr.source-interface", Title: "A session with an uplink PDR alone takes nothing from N6", Clause: "TS 29.244 8.2.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.PDRs, s.FARs = s.PDRs[:1], s.FARs[:1] })
				return []step{b.Establish(u, s), b.Send(b.Down(u, "").Lost(), b.Up(u, ""))}
			})},
		{ID: "pdr.network-instance",
			Title: "PDRs and FARs with the Network Instance of the data network carry traffic", Clause: "TS 29.244 8.2.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, ""), b.Down(u, ""))}
			})},
		{ID: "pdr.removal.0", Title: "Outer Header Removal 0 (GTP-U/UDP/IPv4) gives the plain packet", Clause: "TS 29.244 8.2.64",
			Steps: removal(0)},
		{ID: "pdr.removal.6", Title: "Outer Header Removal 6 (GTP-U/UDP/IP) gives the plain packet", Clause: "TS 29.244 8.2.64",
			Steps: removal(6)},
		{ID: "pdr.many.8", Title: "Of 8 PDRs of a session, each packet takes its own", Clause: "TS 29.244 5.2.1A", Steps: many(8)},
		{ID: "pdr.many.32", Title: "Of 32 PDRs of a session, each packet takes its own", Clause: "TS 29.244 5.2.1A", Steps: many(32)},
	}
}

// removal sends an uplink packet through a PDR with a description.
func removal(description uint8) func(*fixture) []step {
	return steps(func(u *b.UE, g *fixture) []step {
		s := with(g, func(s *rules.Session) { s.PDRs[0].Removal = rules.Remove(description) })
		return []step{b.Establish(u, s), b.Send(b.Up(u, ""))}
	})
}

// twoTunnels is the plain rules and a downlink PDR more, for the data network's second
// host, with a tunnel of its own.
func twoTunnels(u *b.UE, g *fixture, filtered, all uint32) rules.Session {
	s := b.Plain(u, g)
	tunnel := second(u, g)
	s.PDRs[1].Precedence = all
	p := s.PDRs[1]
	p.ID, p.FAR, p.Precedence = 3, 3, filtered
	p.Filters = []rules.Filter{{Flow: flow("permit out ip from %s to assigned", g.DN(1))}}
	s.PDRs = append(s.PDRs, p)
	s.FARs = append(s.FARs, rules.FAR{ID: 3, Action: rules.Forward, To: rules.Access, Tunnel: &tunnel})
	return s
}

// into is a packet for each tunnel of twoTunnels.
func into(u *b.UE, g *fixture) []b.Packet {
	return []b.Packet{b.Down(u, "from the host of the filter").Host(g.DN(1)).Into(second(u, g)), b.Down(u, "from another host")}
}

// first is a PDR with another precedence.
func first(p rules.PDR, precedence uint32) []rules.PDR {
	p.Precedence = precedence
	return []rules.PDR{p}
}

// many gives packets from each of so many hosts a PDR and a tunnel of its own.
func many(n int) func(*fixture) []step {
	return steps(func(u *b.UE, g *fixture) []step {
		s := b.Plain(u, g)
		packets := []b.Packet{b.Down(u, "from a host of no filter")}
		for i := range uint32(n - 2) {
			host := g.Host(int(i))
			tunnel := rules.Tunnel{TEID: u.Tunnel + 0x10000*(i+1), Peer: g.GNB(0)}
			p := s.PDRs[1]
			p.ID, p.FAR, p.Precedence = uint16(10+i), 10+i, 100-i
			p.Filters = []rules.Filter{{Flow: flow("permit out ip from %s to assigned", host)}}
			s.PDRs = append(s.PDRs, p)
			s.FARs = append(s.FARs, rules.FAR{ID: 10 + i, Action: rules.Forward, To: rules.Access, Tunnel: &tunnel})
			packets = append(packets, b.Down(u, flow("from the host of filter %d", i+1)).Host(host).Into(tunnel))
		}
		return []step{b.Establish(u, s), b.Send(packets...)}
	})
}
