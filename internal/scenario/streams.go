package scenario

import (
	"fmt"

	"github.com/upflab/upflab/internal/text/units"
)

// maxStreams is how many addresses and UDP flows can send at once: the signature of a packet has room for so many.
const maxStreams = 1 << 20

// mostPort is the last port of UDP.
const mostPort = 1<<16 - 1

// StreamsEach is how many streams of packets a session has: one for each UDP flow of each of its addresses.
func (s *Scenario) StreamsEach() int { return s.UE.Family.Addresses() * s.UDP.Each() }

// Each is how many UDP flows an address has.
func (u UDP) Each() int { return max(u.Flows, 1) }

// SourcePort is the UDP source port of a flow of a session, the first is 0.
func (u UDP) SourcePort(flow int) uint16 { return u.Source + uint16(flow) }

// checkStreams checks what sends in a session.
func checkStreams(s *Scenario, r *report) {
	if most := maxStreams / s.StreamsEach(); s.Sessions > most {
		r.blame("each of %d sessions has %s (ue.family %s, %s), and %d can send at once; set sessions to %d or less",
			[]any{s.Sessions, units.Plural(s.StreamsEach(), "stream"), s.UE.Family, units.Plural(s.UDP.Flows, "UDP flow"), maxStreams, most},
			"sessions", "ue.family", "udp.flows")
	}
	if s.UDP.Flows < 2 {
		return
	}
	if last := int(s.UDP.Source) + s.UDP.Flows - 1; last > mostPort {
		r.blame("udp.source %d and %d flows come to port %d, and there are %d; lower one of them", []any{s.UDP.Source, s.UDP.Flows, last, mostPort},
			"udp.flows", "udp.source")
	}
	checkOneUDPFlow(s, r)
}

// checkOneUDPFlow refuses what sends one UDP flow for each session.
func checkOneUDPFlow(s *Scenario, r *report) {
	r.clashes("udp.flows", s.UDP.Flows, "1",
		clash{s.OfCases() || s.Kind == KindInstructions, fmt.Sprintf("a scenario of kind %s chooses its own packets", s.Kind), "kind"},
		clash{len(s.Flows) > 0, "applications at UEs (flows) open their own", "flows"},
		clash{s.Arrivals == Replay, "a capture has its own", "arrivals"},
		clash{s.Engine == EngineTRex || s.TRex != nil, "TRex is given one a session", "engine"},
		clash{s.Hosts != nil, "hosts that generate together send one a session", "hosts"})
}
