package trial

import (
	"encoding/binary"
	"math"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// sessions lists what the SMF establishes. Session i has the i-th UE address
// and, by twos, the TEIDs from the first on.
func sessions(s *scenario.Scenario, assign smf.Assign) []smf.Session {
	return sessionsFrom(s, assign, 0, s.Sessions)
}

// sessionsFrom lists n of them from a number on.
func sessionsFrom(s *scenario.Scenario, assign smf.Assign, from, n int) []smf.Session {
	list, gnbs := make([]smf.Session, n), s.GNBs()
	for at := range list {
		i := from + at
		list[at] = smf.Session{
			Index: i, UE: nth(s.UE.First, i), QFI: s.QFIOf(i), GNB: gnbs[i%len(gnbs)], N3: s.N3.UPF, NetworkInstance: s.InstanceOf(i),
			UplinkTEID: s.TEID.Uplink + 2*uint32(i), DownlinkTEID: s.TEID.Downlink + 2*uint32(i),
		}
		if assign == smf.AssignUPF {
			list[at].UplinkTEID = 0
		}
	}
	return list
}

// instanceRemark says that sessions are not told apart by Network Instance although the
// scenario asks for that; "": they are, or it does not.
func (dp *Deployment) instanceRemark() string {
	d := dp.dialect()
	switch {
	case len(dp.Scenario.InstancesOf()) < 2:
		return ""
	case !dp.Endpoint.HasN4():
		return "It has no rules, and so no Network Instances: all UEs are alike to it."
	case d.NetworkInstance == smf.InstanceOmitted:
		return "Its rules carry no Network Instance: the UEs differ in their QFI alone."
	case d.OneInstance:
		return "It is configured with one Network Instance, which all UEs have: they differ in their QFI alone."
	}
	return ""
}

// nth is the i-th address after a, which is IPv4.
func nth(a netip.Addr, i int) netip.Addr {
	b := a.As4()
	binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+uint32(i))
	return netip.AddrFrom4(b)
}

// flow describes one direction's traffic through the sessions.
func flow(s *scenario.Scenario, e dut.Endpoint, established []smf.Established, d record.Direction) *traffic.Flow {
	f := &traffic.Flow{
		Direction: d, DF: s.DF, QFI: s.QFIOf(0), GNB: s.N3.GNB, UPF: s.N3.UPF, DN: s.N6.DN,
		Shapes: shapes(s, d),
		Expect: traffic.Expect{
			Encapsulated: (d == record.Downlink) != e.IsWire(),
			PSC:          e.Containers(),
			Unchanged:    e.IsWire(),
		},
	}
	several := s.Hosts == nil && s.GNBCount > 1 && (e.IsWire() || e.HasN4())
	for _, x := range established {
		stream := traffic.Stream{UE: x.UE, UplinkTEID: x.UplinkTEID, DownlinkTEID: x.DownlinkTEID, QFI: x.QFI}
		if several {
			stream.GNB = x.GNB
		}
		f.Streams = append(f.Streams, stream)
	}
	return f
}

// TestbedSpec is the testbed that a scenario asks for.
func TestbedSpec(s *scenario.Scenario, run string) site.Spec {
	return site.Spec{
		Run: run, MTU: s.MTU, UEPool: s.UE.Pool, Queues: s.Queues, Spread: spreadOf(s),
		N3: site.LinkSpec{Tester: s.N3.GNB, More: moreGNBs(s), UPF: s.N3.UPF, Prefix: s.N3.Prefix,
			Kind: site.Kind(s.LinkOf(s.N3.Link)), Device: s.N3.Device, TesterDevice: s.N3.TesterDevice},
		N4: site.LinkSpec{Tester: s.N4.SMF, UPF: s.N4.UPF, Prefix: s.N4.Prefix},
		N6: site.LinkSpec{Tester: s.N6.DN, UPF: s.N6.UPF, Prefix: s.N6.Prefix,
			Kind: site.Kind(s.LinkOf(s.N6.Link)), Device: s.N6.Device, TesterDevice: s.N6.TesterDevice},
	}
}

func spreadOf(s *scenario.Scenario) site.SpreadKind {
	if s.Spread == scenario.SpreadAuto {
		return site.SpreadAuto
	}
	return site.SpreadKind(s.Spread)
}

// moreGNBs are the addresses of this host's gNBs but for the first.
func moreGNBs(s *scenario.Scenario) []netip.Addr {
	if s.Hosts != nil {
		return nil
	}
	return s.GNBs()[1:]
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

func addrPort(a netip.Addr, port uint16) netip.AddrPort { return netip.AddrPortFrom(a, port) }

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

// sequence is what a trial of a size sends: the size's packets in their order; of
// both directions in turn, an uplink one first.
func sequence(flows []*traffic.Flow, size scenario.PacketSize, d record.Direction) traffic.Sequence {
	ways := d.Each()
	order := len(size.Payloads(ways[0]))
	var q traffic.Sequence
	for i := range order {
		for _, way := range ways {
			n := flowOf(way)
			q = append(q, traffic.Slot{Flow: n, Shape: shapeOf(flows[n], size.Payloads(way)[i])})
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

// means are the mean lengths of a sequence's packets, octets, rounded.
type means struct{ Payload, Inner, Frame, RxFrame int }

func meansOf(flows []*traffic.Flow, q traffic.Sequence) means {
	mean := func(bytes func(f *traffic.Flow, shape int) int) int {
		var sum float64
		for _, s := range q {
			sum += float64(bytes(flows[s.Flow], int(s.Shape)))
		}
		return int(math.Round(sum / float64(len(q))))
	}
	return means{
		Payload: mean((*traffic.Flow).PayloadBytes), Inner: mean((*traffic.Flow).InnerBytes),
		Frame: mean((*traffic.Flow).FrameBytes), RxFrame: mean((*traffic.Flow).RxFrameBytes),
	}
}
