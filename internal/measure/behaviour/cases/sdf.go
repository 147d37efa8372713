package cases

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

func flow(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// filtered is a case of an SDF filter: the same one in the PDRs of both directions, and
// packets that match and that do not. With no other PDR, what does not match is dropped.
func filtered(id, title, clause string, n need, of func(g *fixture) []rules.Filter, matches,
	others func(b.Packet, *fixture) b.Packet) []Case {
	one := func(way string, packet func(*b.UE, string) b.Packet) Case {
		return Case{ID: "pdr.sdf." + id + "." + way, Both: true, Title: title + ", " + way, Clause: clause, Need: n,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) { s.PDRs[0].Filters, s.PDRs[1].Filters = of(g), of(g) })
				return []step{b.Establish(u, s), b.Send(others(packet(u, "that does not match"), g).Lost(), matches(packet(u, "that matches"), g))}
			})}
	}
	return []Case{one("uplink", b.Up), one("downlink", b.Down)}
}

// described is filtered by one flow description.
func described(id, what, description string, matches, others func(b.Packet, *fixture) b.Packet) []Case {
	return filtered(id, "An SDF filter by "+what+" takes what matches and nothing else", "TS 29.244 8.2.5; TS 29.212 5.4.2", need{},
		func(g *fixture) []rules.Filter { return []rules.Filter{{Flow: replaceHosts(description, g)}} }, matches, others)
}

// replaceHosts writes the data network's first host where a description has HOST, and a prefix of it
// that does not hold the second one where it has PREFIX.
func replaceHosts(text string, g *fixture) string {
	return strings.NewReplacer("HOST", g.DN(0).String(), "PREFIX", g.Around().String()).Replace(text)
}

// byID is a filter that the downlink PDR refers to by its ID.
func byID() Case {
	return Case{ID: "pdr.sdf.id",
		Title:  "A PDR takes by a bidirectional SDF filter of another PDR that it refers to by its ID",
		Clause: "TS 29.244 8.2.5, 5.2.1A.2A", Need: need{Optional: true},
		Steps: steps(func(u *b.UE, g *fixture) []step {
			s := with(g, func(s *rules.Session) {
				s.PDRs[0].Filters = []rules.Filter{{Flow: flow("permit out ip from %s to assigned", g.DN(0)), ID: 7}}
				s.PDRs[1].Filters = []rules.Filter{{ID: 7}}
			})
			return []step{b.Establish(u, s), b.Send(b.Up(u, "that does not match").Host(g.DN(1)).Lost(), b.Up(u, "that matches"),
				b.Down(u, "that does not match").Host(g.DN(1)).Lost(), b.Down(u, "that matches"))}
		})}
}

// labelled is a filter by the flow label of a UE's IPv6 packets.
func labelled() Case {
	return Case{ID: "pdr.sdf.flow-label",
		Title:  "An SDF filter by IPv6 flow label takes what matches and nothing else, downlink",
		Clause: "TS 29.244 8.2.5", Need: need{Optional: true},
		Steps: steps(func(u *b.UE, g *fixture) []step {
			s := b.Plain(u, g)
			s.PDN = 2
			for i := range s.PDRs {
				s.PDRs[i].UE = u.Addr6
			}
			s.PDRs[1].Filters = []rules.Filter{{FlowLabel: 0xabcde}}
			of := func(label uint32, name string) b.Packet {
				p := b.Over6(b.Down(u, name))
				p.FlowLabel = label
				return p
			}
			return []step{b.Establish(u, s), b.Send(of(0xabcdf, "with another flow label").Lost(), of(0xabcde, "with the flow label of the filter"))}
		})}
}

func sdf() (list []Case) {
	same := func(p b.Packet, _ *fixture) b.Packet { return p }
	otherHost := func(p b.Packet, g *fixture) b.Packet { return p.Host(g.DN(1)) }
	port := func(n uint16) func(b.Packet, *fixture) b.Packet {
		return func(p b.Packet, _ *fixture) b.Packet { return p.Port(n) }
	}
	at := func(n uint16) func(b.Packet, *fixture) b.Packet {
		return func(p b.Packet, _ *fixture) b.Packet { return p.At(n) }
	}
	by := func(protocol uint8) func(b.Packet, *fixture) b.Packet {
		return func(p b.Packet, _ *fixture) b.Packet { return p.By(protocol) }
	}
	for _, x := range []struct {
		id, what, description string
		matches, others       func(b.Packet, *fixture) b.Packet
	}{
		{"host", "the other end's address", "permit out ip from HOST to assigned", same, otherHost},
		{"prefix", "a prefix of the other end", "permit out ip from PREFIX to assigned", same, otherHost},
		{"protocol", "protocol", "permit out 17 from any to assigned", same, by(packet.TCP)},
		{"remote-port", "the other end's port", "permit out 17 from any 5000 to assigned", port(5000), port(5001)},
		{"remote-port.range", "a range of the other end's ports", "permit out 17 from any 5000-5010 to assigned", port(5010), port(5011)},
		{"remote-port.list", "a list of the other end's ports", "permit out 17 from any 5000,6000 to assigned", port(6000), port(5500)},
		{"local-port", "the UE's port", "permit out 17 from any to assigned 7000", at(7000), at(7001)},
		{"all-components", "all components at once", "permit out 17 from HOST 5000 to assigned 7000",
			func(p b.Packet, _ *fixture) b.Packet { return p.Port(5000).At(7000) },
			func(p b.Packet, _ *fixture) b.Packet { return p.Port(5000).At(7001) }},
	} {
		list = append(list, described(x.id, x.what, x.description, x.matches, x.others)...)
	}
	list = append(list, filtered("several", "Several SDF filters of a PDR are alternatives", "TS 29.244 table 7.5.2.2-2", need{},
		func(*fixture) []rules.Filter {
			return []rules.Filter{{Flow: "permit out 17 from any 5000 to assigned"}, {Flow: "permit out 17 from any 6000 to assigned"}}
		}, port(6000), port(7000))...)
	list = append(list, filtered("tos", "An SDF filter by type of service takes what matches and nothing else",
		"TS 29.244 8.2.5", need{Optional: true},
		func(*fixture) []rules.Filter { return []rules.Filter{{TOS: 0xb8, Mask: 0xfc}} },
		func(p b.Packet, _ *fixture) b.Packet { p.TOS = 0xb8 | ect1; return p }, // which the mask leaves out
		func(p b.Packet, _ *fixture) b.Packet { p.TOS = 0x20; return p })...)
	list = append(list, byID(), labelled())
	return append(list, filtered("spi", "An SDF filter by IPsec SPI takes what matches and nothing else",
		"TS 29.244 8.2.5", need{Optional: true},
		func(*fixture) []rules.Filter { return []rules.Filter{{SPI: 0xabcd}} },
		func(p b.Packet, _ *fixture) b.Packet { p.Protocol, p.SPI = packet.ESP, 0xabcd; return p },
		func(p b.Packet, _ *fixture) b.Packet { p.Protocol, p.SPI = packet.ESP, 0xabce; return p })...)
}
