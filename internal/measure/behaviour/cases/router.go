package cases

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// The ECN field of an IP header (RFC 3168 clause 5).
const (
	notECT = iota
	ect1
	ect0
	ce
)

// router are cases in which a UPF is what RFC 1812 calls a router.
func router() []Case {
	return []Case{
		{ID: "ip.ecn.encapsulated", Both: true, Title: "The outer ECN field of downlink packets is the T-PDU's, or Not-ECT",
			Clause: "RFC 6040 4.1; TS 23.501 5.37.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				var list []b.Packet
				for _, ecn := range []uint8{notECT, ect1, ect0, ce} {
					p := b.Down(u, flow("with ECN %d", ecn))
					p.TOS = ecn
					p.Wants[0].Also = &b.Property{Symptom: "outer-ecn", Text: flow("an outer ECN field of %d, or 0", ecn),
						Differs: func(a *inbox.Arrival) string {
							return unless(a.TOS&3 == ecn || a.TOS&3 == notECT, "the outer ECN field is %d", a.TOS&3)
						}}
					list = append(list, p)
				}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(list...)}
			})},
		{ID: "ip.ecn.decapsulated", Both: true, Title: "Congestion that the outer header of uplink packets has is in the T-PDU",
			Clause: "RFC 6040 4.2; TS 23.501 5.37.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)),
					b.Send(congested(u, ect0, ce, ce), congested(u, ect0, ect1, ect1), congested(u, ect1, ce, ce),
						congested(u, ect0, notECT, ect0), congested(u, ce, notECT, ce))}
			})},
		{ID: "ip.ecn.not-capable", Title: "An uplink packet that knows no ECN, and whose outer header says congestion, is dropped",
			Clause: "RFC 6040 4.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				p := b.Up(u, "of Not-ECT in an outer header of CE").Lost()
				p.Outer.TOS = ce
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(p, b.Up(u, "").Plainly())}
			})},
		{ID: "ip.ttl.answered.uplink", Title: "A UE's packet with a TTL of 1 is answered with ICMP Time Exceeded, in the UE's tunnel",
			Clause: "RFC 1812 5.3.1, 4.3.3.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				p := b.Up(u, "with a TTL of 1").Lost()
				p.TTL = 1
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly()), b.Returned(p, 11, 0)}
			})},
		{ID: "ip.ttl.answered.downlink", Title: "A downlink packet with a TTL of 1 is answered with ICMP Time Exceeded",
			Clause: "RFC 1812 5.3.1, 4.3.3.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				p := b.Down(u, "with a TTL of 1").Host(g.DN(0)).Lost()
				p.TTL = 1
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()), b.Returned(p, 11, 0)}
			})},
		{ID: "ip.unroutable.destination", Title: "Uplink packets to addresses that no router forwards to go nowhere",
			Clause: "RFC 1812 5.3.7; RFC 3927 2.7",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				var list []b.Packet
				for _, a := range []string{"255.255.255.255", "224.0.0.5", "239.1.2.3", "0.0.0.1", "127.0.0.1", "169.254.7.7", "240.0.0.1"} {
					list = append(list, b.Up(u, "to "+a).Host(netip.MustParseAddr(a)).Lost())
				}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(append(list, b.Up(u, "").Plainly())...)}
			})},
		{ID: "ip.unroutable.source", Title: "Downlink packets from addresses that no host can have go nowhere", Clause: "RFC 1812 5.3.7",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				var list []b.Packet
				for _, a := range []string{"127.0.0.1", "0.0.0.1", "224.0.0.5", "255.255.255.255"} {
					list = append(list, b.Down(u, "from "+a).Host(netip.MustParseAddr(a)).Lost())
				}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(append(list, b.Down(u, "").Plainly())...)}
			})},
		fragmented("ip.outer-fragments", "A G-PDU in two fragments of its outer packet is forwarded", 2, false),
		fragmented("ip.outer-fragments.swapped", "A G-PDU in three fragments of its outer packet, the last first, is forwarded", 3, true),
		{ID: "ip.mtu.too-big.uplink",
			Title:  "A UE's packet with DF that does not fit N6 is answered with ICMP Fragmentation Needed, in the UE's tunnel",
			Clause: "RFC 1191 4; RFC 1812 4.3.3.3", Steps: steps(func(u *b.UE, g *fixture) []step {
				fits := b.Up(u, "in two fragments of its outer packet").Sized(g.MTU - 100)
				p := b.Up(u, flow("of %d octets, which does not fit N6, in two fragments of its outer packet", g.MTU+8)).Sized(g.MTU + 8).Lost()
				fits.Outer.Fragments, p.Outer.Fragments, p.DontFragment = 2, 2, true
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()), b.Only(fits), b.Returned(p, 3, 4)}
			})},
		{ID: "ip.checksum.wrong", Title: "Packets whose IPv4 header checksum is wrong go nowhere", Clause: "RFC 1812 5.2.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				up, down := b.Up(u, "with a wrong header checksum").Lost(), b.Down(u, "with a wrong header checksum").Lost()
				up.BadSum, down.BadSum = true, true
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(up, down, b.Up(u, "").Plainly(), b.Down(u, "").Plainly())}
			})},
	}
}

// fragmented sends a G-PDU in fragments of its outer packet, as a gNB's link of a smaller MTU makes them.
func fragmented(id, title string, pieces int, swapped bool) Case {
	return Case{ID: id, Title: title, Clause: "RFC 791 3.2; TS 29.281 4.2.2", Steps: steps(func(u *b.UE, g *fixture) []step {
		p := b.Up(u, flow("in %d fragments of its outer packet", pieces)).Sized(1200)
		p.Outer.Fragments, p.Outer.Swapped = pieces, swapped
		return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()), b.Send(p), b.Send(b.Up(u, "").Plainly())}
	})}
}

// congested is an uplink packet with an ECN field in an outer header with another one, and the ECN field that it arrives with.
func congested(u *b.UE, inner, outer, arrives uint8) b.Packet {
	p := b.Up(u, flow("with ECN %d in an outer header with ECN %d", inner, outer))
	p.TOS, p.Outer.TOS = inner, outer
	p.Wants = []b.Want{{Altered: true, Also: &b.Property{Symptom: "congestion", Text: flow("an ECN field of %d", arrives),
		Differs: func(a *inbox.Arrival) string {
			got := packet.ECN(a.IP)
			return unless(got == arrives, "its ECN field is %d", got)
		}}}}
	return p
}

// relayed are cases of an intermediate UPF, which passes PDU session containers on, and of changes that lead elsewhere.
func relayed() []Case {
	container := func(id, title string, octets ...byte) Case {
		return Case{ID: "far.n9." + id, Title: title, Clause: "TS 38.415 5.5.2; TS 23.501 5.6.4.2", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				p := fromHome(u, g, "with "+id, g.UE(1).TEID)
				if p.Outer.Container = octets; octets[1]>>4 == 1 {
					home := second(u, g)
					p = b.Up(u, "with "+id)
					p.Outer.Container, p.Wants = octets, []b.Want{{Tunnel: &home}}
				}
				content := octets[1:]
				p.Wants[0].Also = &b.Property{Symptom: "relayed-container", Text: "its PDU session container as it came",
					Differs: func(a *inbox.Arrival) string {
						return unless(string(a.Header.ContainerOctets) == string(content), "it is %x and was %x", a.Header.ContainerOctets, content)
					}}
				s := homeRouted(u, g)
				s.QERs, s.PDRs[0].QERs, s.PDRs[1].QERs = nil, nil, nil // a QER would put its QFI there
				return []step{b.Establish(u, s), b.Send(p)}
			})}
	}
	const qfi = 9
	return []Case{
		container("ppi", "An intermediate UPF passes the Paging Policy Indicator on", 2, 0x00, 0x80|qfi, 5<<5, 0, 0, 0),
		container("qmp.downlink", "An intermediate UPF passes the downlink time stamp of QoS monitoring on",
			3, 0x08, qfi, 1, 2, 3, 4, 5, 6, 7, 8),
		container("qmp.uplink", "An intermediate UPF passes the uplink time stamps of QoS monitoring on",
			7, 0x18, qfi, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 21, 22, 23, 24, 25, 26, 27, 28),
		{ID: "far.path-switch.new-gnb", Title: "After a path switch to a gNB that the UPF has not spoken to nothing is lost",
			Clause: "TS 23.502 4.9.1.2; TS 29.244 7.5.4.3", Steps: steps(func(u *b.UE, g *fixture) []step {
				to := rules.Tunnel{TEID: u.Tunnel + 0x10000, Peer: g.NewGNB()}
				c := rules.Change{Update: rules.Session{FARs: []rules.FAR{{ID: 2, Action: rules.Forward, To: rules.Access, Tunnel: &to}}}}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()), b.Modify(u, "path switch to a new gNB", c),
					b.SendSlowly(1000, b.Down(u, "after the path switch").Into(to).Times(20))}
			})},
		{ID: "qer.mbr.burst", Title: "Bursts of 16 packets of 1400 octets each 100 ms lose nothing to a maximum bit rate of 10 Mbit/s",
			Clause: "TS 23.501 5.7.3.6, 5.7.2.6",
			Lasts:  time.Second, Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.QERs[0] = rules.QER{ID: 1, QFI: 9, MBRUp: 10_000, MBRDown: 10_000} })
				return append([]step{b.Establish(u, s)}, b.Bursts(5, 16, 100*time.Millisecond,
					b.Up(u, "of a burst").Sized(1400), b.Down(u, "of a burst").Sized(1400))...)
			})},
		{ID: "pdr.sdf.id.update", Title: "An updated bidirectional filter is that of the PDR which names it by its ID, too",
			Clause: "TS 29.244 8.2.5, 7.5.4.2",
			Need:   need{Optional: true}, Steps: steps(filterIsUpdated)},
		{ID: "n4.fseid.modify", Title: "After a modification with a CP F-SEID reports go to its address",
			Clause: "TS 29.244 7.5.4.1, 7.5.8.1", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) {
					s.URRs = []rules.URR{{ID: 1, Method: rules.ByVolume, Triggers: rules.VolumeThreshold,
						Threshold: &rules.Volume{Total: rules.Octets(1000)}}}
					s.PDRs[0].URRs = []uint32{1}
				})
				return []step{b.Establish(u, s), b.SMFMoves(u, b.Send(b.Up(u, "").Times(10)))}
			})},
	}
}

// filterIsUpdated has the uplink PDR define a filter that the downlink PDR names, and gives it another port.
func filterIsUpdated(u *b.UE, g *fixture) []step {
	s := b.Plain(u, g)
	filter := func(port string) rules.Filter {
		return rules.Filter{Flow: "permit out 17 from any " + port + " to assigned", ID: 7}
	}
	s.PDRs[0].Filters, s.PDRs[1].Filters = []rules.Filter{filter("80")}, []rules.Filter{{ID: 7}}
	p := s.PDRs[0]
	p.Filters = []rules.Filter{filter("81")}
	return []step{b.Establish(u, s), b.Send(b.Up(u, "to port 80").Port(80).Plainly(), b.Down(u, "from port 80").Port(80).Plainly()),
		b.Modify(u, "PDR 1 with port 81", rules.Change{Update: rules.Session{PDRs: []rules.PDR{p}}}),
		b.Send(b.Down(u, "from port 80").Port(80).Lost(), b.Up(u, "to port 81").Port(81), b.Down(u, "from port 81").Port(81))}
}
