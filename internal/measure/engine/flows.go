package engine

import (
	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// flow describes one direction's traffic through the sessions: of several UDP flows the first of all sessions, then the
// second of all, so that a session's packets lie as far apart as those of sessions with one.
func flow(s *scenario.Scenario, e dut.Endpoint, established []smf.Established, d record.Direction) *traffic.Flow {
	gnb, upf := s.N3Ends()
	f := &traffic.Flow{
		Direction: d, DF: s.DF, QFI: s.QFIOf(0), GNB: gnb, UPF: upf, DN: s.N6.DN, DN6: s.N6.DN6,
		Shapes: shapes(s, d), ECN: ecnOf(s.ECN),
		Expect: traffic.Expect{
			Encapsulated: (d == record.Downlink) != e.IsWire(),
			PSC:          e.Containers(),
			Unchanged:    e.IsWire(),
		},
	}
	several := s.Hosts == nil && s.GNBCount > 1 && (e.IsWire() || e.HasN4())
	for n := range s.UDP.Each() {
		for _, x := range established {
			stream := traffic.Stream{UE: x.UE, UplinkTEID: x.UplinkTEID, DownlinkTEID: x.DownlinkTEID, QFI: x.QFI}
			if several {
				stream.GNB = x.GNB
			}
			if s.UDP.Each() > 1 {
				stream.SourcePort = s.UDP.SourcePort(n)
			}
			f.Streams = append(f.Streams, stream)
			if x.UE6.IsValid() {
				stream.UE = x.UE6
				f.Streams = append(f.Streams, stream)
			}
		}
	}
	return f
}

// WireFlow is a scenario's traffic as it crosses a wire: no UPF, no sessions but
// those that the frames name.
func WireFlow(s *scenario.Scenario, t site.Site, d record.Direction) *traffic.Flow {
	var established []smf.Established
	for _, x := range bench.Sessions(s, smf.AssignSMF) {
		established = append(established, smf.Established{Session: x, UplinkTEID: x.UplinkTEID})
	}
	f := flow(s, dut.Endpoint{Kind: dut.Wire}, established, d)
	at := t.Links().Path(d)
	f.Source, f.Destination, f.Expect.MAC = at.Send.MAC, at.UPF.MAC, at.Arrive.MAC
	return f
}

// FlowOf is the flow in the engine of a direction, uplink or downlink.
func FlowOf(d record.Direction) uint8 {
	if d == record.Uplink {
		return 0
	}
	return 1
}

// shapes are the kinds of packet that a direction's flow has: one for each payload
// of the scenario's sizes.
func shapes(s *scenario.Scenario, d record.Direction) []traffic.Shape {
	var list []traffic.Shape
	known := map[int]bool{}
	for _, size := range s.PacketSizes() {
		for _, payload := range size.Payloads(d) {
			if known[payload] {
				continue
			}
			known[payload] = true
			list = append(list, traffic.Shape{Payload: payload, SourcePort: s.UDP.Source, DestinationPort: s.UDP.Destination})
		}
	}
	return list
}

// Sequence is what a trial sends: the packets of the capture where one is replayed, else those of a size.
func (e *Engine) Sequence(size scenario.PacketSize, d record.Direction) traffic.Sequence {
	if e.cfg.Recording == nil {
		return e.Packets(size, d)
	}
	var flows []uint8
	for _, way := range d.Each() {
		flows = append(flows, FlowOf(way))
	}
	return e.cfg.Recording.Sequence(flows...)
}

// Packets are those of a size in their order; of both directions in turn, an uplink one first.
func (e *Engine) Packets(size scenario.PacketSize, d record.Direction) traffic.Sequence {
	return sequence(e.flows, size, d)
}

// Shape is the shape of the flow of a direction, uplink or downlink, with a payload.
func (e *Engine) Shape(d record.Direction, payload int) int {
	return int(shapeOf(e.flows[FlowOf(d)], payload))
}

// sequence is what a trial of a size sends: the size's packets in their order; of
// both directions in turn, an uplink one first.
func sequence(flows []*traffic.Flow, size scenario.PacketSize, d record.Direction) traffic.Sequence {
	ways := d.Each()
	order := len(size.Payloads(ways[0]))
	rounds := 1
	if order > 1 && order%2 == 0 && len(flows[FlowOf(ways[0])].Kinds()) > 1 {
		rounds = 2 // families take turns: each would have every second size of the order alone
	}
	var q traffic.Sequence
	for round := range rounds {
		for i := range order {
			for _, way := range ways {
				n := FlowOf(way)
				q = append(q, traffic.Slot{Flow: n, Shape: shapeOf(flows[n], size.Payloads(way)[(i+round)%order])})
			}
		}
	}
	return q
}

// shapeOf is the shape of a flow with a payload.
func shapeOf(f *traffic.Flow, payload int) uint16 {
	for i, shape := range f.Shapes {
		if shape.Payload == payload {
			return uint16(i)
		}
	}
	return 0 // shapes has all payloads of the scenario's sizes
}

// ecnOf is the codepoint that packets are sent with.
func ecnOf(e scenario.ECN) traffic.ECN {
	return map[scenario.ECN]traffic.ECN{scenario.ECT0: traffic.ECT0, scenario.ECT1: traffic.ECT1}[e]
}
