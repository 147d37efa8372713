package cases

import (
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	codec "github.com/upflab/upflab/internal/proto/gtpu"
)

// lengths of T-PDUs: tables and copies of a UPF often depend on them.
var lengths = []int{60, 200, 576, 999, 1001, 1400}

// leastTTL is what reaches a gNB that is some routers away.
const leastTTL = 32

// properties are cases of what each downlink packet has to have on N3, in packets of several lengths
// and sessions. No other case looks at these.
func properties() (list []Case) {
	for _, x := range []struct {
		id, title, clause string
		of                func(g *fixture) b.Property
	}{
		{"gtpu.outer.checksum", "The outer IPv4 header of downlink packets has a right checksum",
			"RFC 791 3.1; TS 29.281 4.4.2", func(*fixture) b.Property {
				return b.Property{Symptom: "outer-checksum", Text: "a right outer IPv4 header checksum", Differs: func(a *inbox.Arrival) string {
					return unless(packet.HeaderSumRight(a.IP), "the outer IPv4 header checksum is wrong")
				}}
			}},
		{"gtpu.outer.udp-checksum", "The outer UDP checksum of downlink packets is right, or absent over IPv4",
			"RFC 768; RFC 6935; TS 29.281 4.4.1", func(*fixture) b.Property {
				return b.Property{Symptom: "outer-udp-checksum", Text: "a right outer UDP checksum", Differs: func(a *inbox.Arrival) string {
					return unless(packet.UDPSumRight(a.IP), "the outer UDP checksum is wrong")
				}}
			}},
		{"gtpu.outer.ttl", "The outer TTL of downlink packets reaches a gNB that is some hops away",
			"RFC 1122 3.2.1.7; RFC 2003 3.1", func(*fixture) b.Property {
				return b.Property{Symptom: "outer-ttl", Text: flow("an outer TTL of %d or more", leastTTL), Differs: func(a *inbox.Arrival) string {
					return unless(packet.TTL(a.IP) >= leastTTL, "the outer TTL is %d", packet.TTL(a.IP))
				}}
			}},
		{"gtpu.outer.source", "Downlink packets come from the UPF's N3 address", "TS 29.281 4.4.2", func(g *fixture) b.Property {
			return b.Property{Symptom: "outer-source", Text: "the source " + g.UPF.String(), Differs: func(a *inbox.Arrival) string {
				return unless(a.From == g.UPF, "the outer source is %s", a.From)
			}}
		}},
		{"gtpu.outer.port", "Downlink packets go to UDP port 2152 of the gNB", "TS 29.281 4.4.2.3", func(*fixture) b.Property {
			return b.Property{Symptom: "outer-port", Text: "the UDP destination port 2152", Differs: func(a *inbox.Arrival) string {
				return unless(a.ToPort == codec.Port, "the outer UDP destination port is %d", a.ToPort)
			}}
		}},
		{"gtpu.outer.whole", "Downlink packets that fit N3 leave whole, not in fragments of their outer packet",
			"RFC 791 2.3; TS 29.281 4.2.2", func(*fixture) b.Property {
				return b.Property{Symptom: "outer-fragments", Text: "an outer packet in one piece", Differs: func(a *inbox.Arrival) string {
					return unless(a.Pieces < 2, "it came in %d fragments of its outer packet", a.Pieces)
				}}
			}},
		{"gtpu.outer.header", "The GTP-U header of each downlink packet can be read, and ends with its message",
			"TS 29.281 5.1, 5.2.1", judged("a GTP-U header that can be read")},
		{"gtpu.outer.extensions", "Downlink packets have extension headers that a gNB knows, and one PDU session container at most",
			"TS 29.281 5.2.1", judged("no unknown extension header that has to be comprehended, and none twice")},
		{"gtpu.outer.container", "The PDU session container of downlink packets is that of downlink, and has the fields that it announces",
			"TS 38.415 5.5.2.1", func(*fixture) b.Property {
				return b.Property{Symptom: "container", Text: "a PDU session container of downlink, or none", Differs: func(a *inbox.Arrival) string {
					return unless(!a.Header.HasContainer || a.Header.Container.Type == codec.DownlinkInformation,
						"its PDU type is %d", a.Header.Container.Type)
				}}
			}},
		{"qer.rqi.not-asked", "Downlink packets carry no reflective QoS indicator that no QER asks for",
			"TS 29.244 8.2.88; TS 38.415 5.5.3.4", func(*fixture) b.Property {
				return b.Property{Symptom: "rqi-not-asked", Text: "no RQI", Differs: func(a *inbox.Arrival) string {
					return unless(!a.Header.HasContainer || !a.Header.Container.RQI, "the reflective QoS indicator is set")
				}}
			}},
		{"qer.ppi.not-asked", "Downlink packets carry no Paging Policy Indicator that no QER asks for",
			"TS 29.244 8.2.116; TS 38.415 5.5.2.1", func(*fixture) b.Property {
				return b.Property{Symptom: "ppi-not-asked", Text: "no PPI", Differs: func(a *inbox.Arrival) string {
					const flagPPP = 1 << 7
					octets := a.Header.ContainerOctets
					return unless(len(octets) < 3 || octets[1]&flagPPP == 0, "a Paging Policy Indicator is there: %x", octets)
				}}
			}},
	} {
		list = append(list, Case{ID: x.id, Title: x.title, Clause: x.clause, Steps: func(g *fixture) []step {
			property := x.of(g)
			return everyKind(g, func(p b.Packet, _ int) b.Packet { p.Wants[0].Also = &property; return p }, nil)
		}})
	}
	return append(list, Case{ID: "qer.qfi.lengths",
		Title:  "Downlink packets of every length carry the QFI of their session",
		Clause: "TS 29.244 8.2.89; TS 38.415 5.5.2.1",
		Steps: func(g *fixture) []step {
			qfi := func(n int) uint8 { return uint8(7 + 5*n) }
			return everyKind(g, func(p b.Packet, n int) b.Packet { return p.Marked(qfi(n)) },
				func(s *rules.Session, n int) { s.QERs[0].QFI = qfi(n) })
		}})
}

// judged is a property that each arrival is held to, in all cases.
func judged(text string) func(*fixture) b.Property {
	return func(*fixture) b.Property {
		return b.Property{Text: text, Differs: func(*inbox.Arrival) string { return "" }}
	}
}

// unless is why something is wrong; "": it is not.
func unless(right bool, format string, args ...any) string {
	if right {
		return ""
	}
	return flow(format, args...)
}

// everyKind sends downlink packets of every length to several UEs.
func everyKind(g *fixture, wanted func(p b.Packet, n int) b.Packet, change func(s *rules.Session, n int)) (list []step) {
	const ues = 6
	var packets []b.Packet
	for n := range ues {
		u := g.UE(n)
		s := b.Plain(u, g)
		if change != nil {
			change(&s, n)
		}
		list = append(list, b.Establish(u, s))
		for _, octets := range lengths {
			if octets <= g.MTU-outerMost {
				packets = append(packets, wanted(b.Down(u, flow("of %d octets", octets)).Sized(octets).Times(10), n))
			}
		}
	}
	return append(list, b.SendSlowly(5000, packets...))
}
