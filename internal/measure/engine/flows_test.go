package engine

import (
	"net"
	"net/netip"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
	"github.com/upflab/upflab/internal/traffic"
)

// TestFamilies: the addresses of a session, and the streams that they are.
func TestFamilies(t *testing.T) {
	for family, want := range map[string][]string{
		"ipv4": {"10.45.0.2", "10.45.0.3"}, "ipv6": {"2001:db8:45:1::2", "2001:db8:45:2::2"},
		"both": {"10.45.0.2", "2001:db8:45:1::2", "10.45.0.3", "2001:db8:45:2::2"},
	} {
		s := scenariotest.Open(t, "load-latency", "sessions=2", "ue.family="+family)
		var established []smf.Established
		for _, x := range bench.Sessions(s, smf.AssignSMF) {
			if err := x.Check(); err != nil {
				t.Error(err)
			}
			established = append(established, smf.Established{Session: x, UplinkTEID: x.UplinkTEID})
		}
		f := flow(s, dut.Endpoint{Kind: dut.Wire}, established, record.Uplink)
		var got []string
		for _, x := range f.Streams {
			got = append(got, x.UE.String())
		}
		if !reflect.DeepEqual(got, want) || f.DN6 != s.N6.DN6 {
			t.Errorf("%s: streams of %v, want %v", family, got, want)
		}
	}
}

// TestFamiliesShareAMixture: each family sends each size as often as the mixture has it.
func TestFamiliesShareAMixture(t *testing.T) {
	s := scenariotest.Open(t, "load-latency", "sizes=imix", "ue.family=both")
	established := []smf.Established{{Session: bench.Sessions(s, smf.AssignSMF)[0]}}
	flows := []*traffic.Flow{
		flow(s, dut.Endpoint{Kind: dut.Wire}, established, record.Uplink), flow(s, dut.Endpoint{Kind: dut.Wire}, established, record.Downlink),
	}
	for _, d := range []record.Direction{record.Uplink, record.Both} {
		q := sequence(flows, s.PacketSizes()[0], d)
		counts := map[int]int{} // by payload: of IPv4 and not of IPv6
		n := 0
		for _, slot := range q {
			if slot.Flow == 0 {
				counts[flows[0].Shapes[slot.Shape].Payload] += 1 - 2*(n%len(flows[0].Streams))
				n++
			}
		}
		for payload, n := range counts {
			if n != 0 {
				t.Errorf("%s: IPv4 has %d packets of %d octets more than IPv6", d, n, payload)
			}
		}
	}
}

func TestFlowExpectsWhatTheUPFDoes(t *testing.T) {
	s := scenariotest.Open(t, "quick")
	for _, c := range []struct {
		story     string
		endpoint  dut.Endpoint
		direction record.Direction
		want      traffic.Expect
	}{
		{"a UPF takes the tunnel off", dut.Endpoint{Dialect: smf.Standard()}, record.Uplink, traffic.Expect{PSC: true}},
		{"a UPF puts it on", dut.Endpoint{Dialect: smf.Standard()}, record.Downlink, traffic.Expect{Encapsulated: true, PSC: true}},
		{"some without a container", dut.Endpoint{Dialect: smf.NextGCore()}, record.Downlink, traffic.Expect{Encapsulated: true}},
		{"a wire leaves it on", dut.Endpoint{Kind: dut.Wire}, record.Uplink, traffic.Expect{Encapsulated: true, PSC: true, Unchanged: true}},
		{"and off", dut.Endpoint{Kind: dut.Wire}, record.Downlink, traffic.Expect{PSC: true, Unchanged: true}},
	} {
		if got := flow(s, c.endpoint, nil, c.direction).Expect; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.story, got, c.want)
		}
	}
}

// TestFlowUsesTheUPFsTEIDs: what was established counts, not what was asked for.
func TestFlowUsesTheUPFsTEIDs(t *testing.T) {
	s := scenariotest.Open(t, "quick", "sessions=2", "payload=64", "udp.source=1000", "udp.destination=2000")
	var established []smf.Established
	for i, x := range bench.Sessions(s, smf.AssignUPF) {
		established = append(established, smf.Established{Session: x, UplinkTEID: 0xC0FFEE00 + uint32(i)})
	}
	f := flow(s, dut.Endpoint{Dialect: smf.Standard()}, established, record.Uplink)
	want := []traffic.Stream{
		{UE: netip.MustParseAddr("10.45.0.2"), UplinkTEID: 0xC0FFEE00, DownlinkTEID: 2, QFI: 1},
		{UE: netip.MustParseAddr("10.45.0.3"), UplinkTEID: 0xC0FFEE01, DownlinkTEID: 4, QFI: 1},
	}
	if !reflect.DeepEqual(f.Streams, want) {
		t.Errorf("streams\n got %+v\nwant %+v", f.Streams, want)
	}
	if want := []traffic.Shape{{Payload: 64, SourcePort: 1000, DestinationPort: 2000}}; !reflect.DeepEqual(f.Shapes,
		want) || f.QFI != 1 || f.Direction != record.Uplink {
		t.Errorf("flow %+v", f)
	}
}

// TestEnds: a direction leaves where the other arrives, and each comes to the
// UPF's end of the link it leaves by.
func TestEnds(t *testing.T) {
	bed := &sitetest.Fake{Ports: site.Links{
		GNB: netdev.Port{Name: "gnb", MAC: net.HardwareAddr{1}}, UPFN3: netdev.Port{Name: "upf n3", MAC: net.HardwareAddr{2}},
		DNN6: netdev.Port{Name: "dn", MAC: net.HardwareAddr{3}}, UPFN6: netdev.Port{Name: "upf n6", MAC: net.HardwareAddr{4}},
	}}
	for d, want := range map[record.Direction][3]string{
		record.Uplink:   {"gnb", "upf n3", "dn"},
		record.Downlink: {"dn", "upf n6", "gnb"},
	} {
		at := bed.Links().Path(d)
		if got := [3]string{at.Send.Name, at.UPF.Name, at.Arrive.Name}; got != want {
			t.Errorf("%s: %v, want %v", d, got, want)
		}
	}
	f := WireFlow(scenariotest.Open(t, "quick", "sessions=2"), bed, record.Uplink)
	if f.Source[0] != 1 || f.Destination[0] != 2 || f.Expect.MAC[0] != 3 || len(f.Streams) != 2 || f.Streams[1].UplinkTEID != 3 {
		t.Errorf("flow over a wire: %+v", f)
	}
}

// flowsOf are the engine's flows of a scenario.
func flowsOf(s *scenario.Scenario, e dut.Endpoint) []*traffic.Flow {
	one := []smf.Established{{Session: bench.Sessions(s, smf.AssignSMF)[0]}}
	return []*traffic.Flow{flow(s, e, one, record.Uplink), flow(s, e, one, record.Downlink)}
}

func TestSequenceOfSizes(t *testing.T) {
	s := scenariotest.Open(t, "load-latency", "sizes=1400,genome:bbg,frame:512", "directions=uplink,downlink,both")
	flows := flowsOf(s, dut.Endpoint{Dialect: smf.Standard()})
	if n := len(flows[0].Shapes); n != 4 {
		t.Errorf("%d uplink shapes, want those of 1400, b, g and 512", n)
	}
	up, down := func(shape uint16) traffic.Slot { return traffic.Slot{Shape: shape} },
		func(shape uint16) traffic.Slot { return traffic.Slot{Flow: 1, Shape: shape} }
	sizes := s.PacketSizes()
	for _, c := range []struct {
		size      int
		direction record.Direction
		want      traffic.Sequence
	}{
		{0, record.Uplink, traffic.Sequence{up(0)}},
		{0, record.Both, traffic.Sequence{up(0), down(0)}},
		{1, record.Downlink, traffic.Sequence{down(1), down(1), down(2)}},
		{1, record.Both, traffic.Sequence{up(1), down(1), up(1), down(1), up(2), down(2)}},
		{2, record.Both, traffic.Sequence{up(3), down(3)}},
	} {
		q := sequence(flows, sizes[c.size], c.direction)
		if !reflect.DeepEqual(q, c.want) {
			t.Errorf("%s %s: %v, want %v", sizes[c.size].Name, c.direction, q, c.want)
		}
		if err := q.Check(flows); err != nil {
			t.Error(err)
		}
	}
}

// TestMeansOfMixtures holds means against sums by hand: frames on N6 with FCS of
// 78, 570 and 1518 octets 7:4:1 are 362 in the mean, so 358 without FCS.
func TestMeansOfMixtures(t *testing.T) {
	s := scenariotest.Open(t, "load-latency", "sizes=imix,frame:1518", "directions=both")
	flows, sizes := flowsOf(s, dut.Endpoint{Dialect: smf.Standard()}), s.PacketSizes()
	for _, c := range []struct {
		size      int
		direction record.Direction
		want      Means
	}{
		{0, record.Downlink, Means{Payload: 316, Inner: 344, Frame: 358, RxFrame: 402}},
		{0, record.Uplink, Means{Payload: 316, Inner: 344, Frame: 402, RxFrame: 358}},
		{0, record.Both, Means{Payload: 316, Inner: 344, Frame: 380, RxFrame: 380}},
		{1, record.Both, Means{Payload: 1450, Inner: 1478, Frame: 1514, RxFrame: 1514}},
	} {
		if got := meansOf(flows, sequence(flows, sizes[c.size], c.direction)); got != c.want {
			t.Errorf("%s %s: %+v, want %+v", sizes[c.size].Name, c.direction, got, c.want)
		}
	}
}
