package trial

import (
	"cmp"
	"math"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/netdev"
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

// gnbRemark says that a DUT sees one gNB where the scenario asks for several; "": it does not.
func (dp *Deployment) gnbRemark() string {
	if dp.Scenario.GNBCount < 2 || dp.Endpoint.IsWire() || dp.Endpoint.HasN4() {
		return ""
	}
	return "It has no sessions, and knows one gNB: all its packets are of n3.gnb."
}

// WireFlow is a scenario's traffic as it crosses a wire: no UPF, no sessions but
// those that the frames name.
func WireFlow(s *scenario.Scenario, t site.Site, d record.Direction) *traffic.Flow {
	var established []smf.Established
	for _, x := range sessions(s, smf.AssignSMF) {
		established = append(established, smf.Established{Session: x, UplinkTEID: x.UplinkTEID})
	}
	f := flow(s, dut.Endpoint{Kind: dut.Wire}, established, d)
	at := t.Links().Path(d)
	f.Source, f.Destination, f.Expect.MAC = at.Send.MAC, at.UPF.MAC, at.Arrive.MAC
	return f
}

// flowOf is the flow in the engine of a direction, uplink or downlink.
func flowOf(d record.Direction) uint8 {
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

// sequence is what a trial sends.
func (dp *Deployment) sequence(spec Spec) traffic.Sequence {
	if dp.Recording == nil {
		return sequence(dp.flows, spec.Size, spec.Direction)
	}
	var flows []uint8
	for _, way := range spec.Direction.Each() {
		flows = append(flows, flowOf(way))
	}
	return dp.Recording.Sequence(flows...)
}

// sequence is what a trial of a size sends: the size's packets in their order; of
// both directions in turn, an uplink one first.
func sequence(flows []*traffic.Flow, size scenario.PacketSize, d record.Direction) traffic.Sequence {
	ways := d.Each()
	order := len(size.Payloads(ways[0]))
	rounds := 1
	if order > 1 && order%2 == 0 && len(flows[flowOf(ways[0])].Kinds()) > 1 {
		rounds = 2 // families take turns: each would have every second size of the order alone
	}
	var q traffic.Sequence
	for round := range rounds {
		for i := range order {
			for _, way := range ways {
				n := flowOf(way)
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

// Families is how a record calls the IP of a scenario's UEs and of its N3 and N4; "": IPv4, which all had before there were
// others.
func Families(s *scenario.Scenario) (f record.Families) {
	if s.UE.Family.IPv6() {
		f.Family = string(s.UE.Family)
	}
	if s.Transport.IPv6() {
		f.Transport = string(s.Transport)
	}
	return f
}

// ecnRecord is how a record calls the codepoint; "": Not-ECT, as in records from before there were others.
func ecnRecord(s *scenario.Scenario) string {
	if s.ECN == scenario.NotECT {
		return ""
	}
	return string(s.ECN)
}

// ecnOf is the codepoint that packets are sent with.
func ecnOf(e scenario.ECN) traffic.ECN {
	return map[scenario.ECN]traffic.ECN{scenario.ECT0: traffic.ECT0, scenario.ECT1: traffic.ECT1}[e]
}

// udpFlows is how a record calls the UDP flows of an address; 0: there is one, as in records from before there
// were others.
func udpFlows(s *scenario.Scenario) int {
	if s.UDP.Flows < 2 {
		return 0
	}
	return s.UDP.Flows
}

// means are the mean lengths of a sequence's packets, octets, rounded.
type means struct{ Payload, Inner, Frame, RxFrame int }

func meansOf(flows []*traffic.Flow, q traffic.Sequence) means {
	mean := func(bytes func(f *traffic.Flow, s traffic.Stream, shape int) int) int {
		var sum, n float64
		for _, slot := range q {
			for _, stream := range flows[slot.Flow].Kinds() { // families have equal shares
				sum += float64(bytes(flows[slot.Flow], stream, int(slot.Shape)))
				n++
			}
		}
		return int(math.Round(sum / n))
	}
	payload := func(f *traffic.Flow, _ traffic.Stream, shape int) int { return f.PayloadBytes(shape) }
	return means{
		Payload: mean(payload), Inner: mean((*traffic.Flow).InnerBytes),
		Frame: mean((*traffic.Flow).FrameBytes), RxFrame: mean((*traffic.Flow).RxFrameBytes),
	}
}

// speeds are those of the links N3 and N6, bits/s; 0: not known.
type speeds struct{ n3, n6 uint64 }

// speedsOf reads them at either end: both of a cable have the same.
func speedsOf(l *site.Links) speeds {
	read := func(ends ...*netdev.Port) (bitsPerS uint64) {
		for _, p := range ends {
			if bitsPerS == 0 && p.Readable() {
				bitsPerS = p.Speed()
			}
		}
		return bitsPerS
	}
	return speeds{read(&l.GNB, &l.UPFN3), read(&l.DNN6, &l.UPFN6)}
}

// lines are the links that packets of a sequence cross, in their order: an uplink packet N3 as it
// was sent, and N6 as it is to arrive.
func (s speeds) lines(flows []*traffic.Flow, q traffic.Sequence, d record.Direction) (list []record.Line) {
	for _, way := range d.Each() {
		var own traffic.Sequence
		for _, slot := range q {
			if slot.Flow == flowOf(way) {
				own = append(own, slot)
			}
		}
		if len(own) == 0 {
			continue
		}
		mean := meansOf(flows, own)
		hops := []record.Line{{Link: "n3", BitsPerS: s.n3, FrameBytes: mean.Frame}, {Link: "n6", BitsPerS: s.n6, FrameBytes: mean.RxFrame}}
		if way == record.Downlink {
			hops = []record.Line{{Link: "n6", BitsPerS: s.n6, FrameBytes: mean.Frame}, {Link: "n3", BitsPerS: s.n3, FrameBytes: mean.RxFrame}}
		}
		for _, h := range hops {
			if h.BitsPerS > 0 {
				list = append(list, record.NewLine(h.Link, way, h.BitsPerS, h.FrameBytes, float64(len(own))/float64(len(q))))
			}
		}
	}
	return list
}

// schedule is when the trial's packets are due.
func (dp *Deployment) schedule(spec Spec) (traffic.Schedule, error) {
	s := traffic.Schedule{PPS: spec.Load.PPS, Duration: spec.Duration, Quiet: silence, Sequence: dp.sequence(spec)}
	if spec.Burst {
		s.Burst = true
		return s, nil
	}
	var err error
	if !spec.NoWarmup {
		s.Warmup = cmp.Or(spec.Warmup, dp.Scenario.Warmup.Duration)
	}
	if dp.excludes() && spec.Everything == "" {
		s.Excluded, s.Most, s.Least = dp.monitor.Excluded, MostTimes*spec.Duration, spec.Duration/leastPart
		if spec.InTime {
			s.Most = spec.Duration
		}
	}
	s.Arrivals, err = dp.arrivals(spec)
	s.Reshuffle = processOf(spec, dp.Scenario) == scenario.Poisson
	return s, err
}

// SilentEnd is the part of a trial in which its arrival process sends no more.
func (dp *Deployment) SilentEnd(spec Spec) (time.Duration, error) {
	s, err := dp.schedule(spec)
	return max(0, spec.Duration-s.Lasts(spec.Duration)), err
}
