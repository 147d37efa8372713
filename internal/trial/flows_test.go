package trial

import (
	"net"
	"net/netip"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/site/sitetest"
	"github.com/upflab/upflab/internal/smf"
	"github.com/upflab/upflab/internal/traffic"
)

func TestSessions(t *testing.T) {
	s := settings(t, "load-latency", "sessions=300", "ue.first=10.45.0.250", "qfi=5")
	list := sessions(s, smf.AssignSMF)
	for _, c := range []struct {
		index    int
		ue       string
		up, down uint32
	}{
		{0, "10.45.0.250", 1, 2}, // the study's TEIDs
		{1, "10.45.0.251", 3, 4},
		{6, "10.45.1.0", 13, 14},
		{299, "10.45.2.37", 599, 600},
	} {
		want := smf.Session{
			Index: c.index, UE: netip.MustParseAddr(c.ue), UplinkTEID: c.up, DownlinkTEID: c.down, QFI: 5,
			GNB: netip.MustParseAddr("192.168.13.131"), N3: netip.MustParseAddr("192.168.13.151"),
			NetworkInstance: "internet",
		}
		if got := list[c.index]; got != want {
			t.Errorf("session %d:\n got %+v\nwant %+v", c.index, got, want)
		}
	}
	s = settings(t, "ue-isolation")
	slices := sessions(s, smf.AssignSMF)
	for i, want := range []string{"internet", "ims", "internet"} {
		if got := slices[i].NetworkInstance; got != want {
			t.Errorf("session %d is in %s, want %s", i, got, want)
		}
	}
	if len(list) != 300 {
		t.Errorf("%d sessions, want 300", len(list))
	}
}

// TestSessionsOfUPFsChoice: 0 asks the UPF to choose; the gNB's TEIDs stay ours.
func TestSessionsOfUPFsChoice(t *testing.T) {
	for i, x := range sessions(settings(t, "load-latency", "sessions=3"), smf.AssignUPF) {
		if x.UplinkTEID != 0 || x.DownlinkTEID != uint32(2+2*i) {
			t.Errorf("session %d: TEIDs %d and %d", i, x.UplinkTEID, x.DownlinkTEID)
		}
	}
}

func TestFlowExpectsWhatTheUPFDoes(t *testing.T) {
	s := settings(t, "quick")
	for _, c := range []struct {
		story     string
		endpoint  dut.Endpoint
		direction record.Direction
		want      traffic.Expect
	}{
		{"a UPF takes the tunnel off", dut.Endpoint{}, record.Uplink, traffic.Expect{PSC: true}},
		{"a UPF puts it on", dut.Endpoint{}, record.Downlink, traffic.Expect{Encapsulated: true, PSC: true}},
		{"some without a container", dut.Endpoint{NoPSC: true}, record.Downlink, traffic.Expect{Encapsulated: true}},
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
	s := settings(t, "quick", "sessions=2", "payload=64", "udp.source=1000", "udp.destination=2000")
	var established []smf.Established
	for i, x := range sessions(s, smf.AssignUPF) {
		established = append(established, smf.Established{Session: x, UplinkTEID: 0xC0FFEE00 + uint32(i)})
	}
	f := flow(s, dut.Endpoint{}, established, record.Uplink)
	want := []traffic.Stream{
		{UE: netip.MustParseAddr("10.45.0.2"), UplinkTEID: 0xC0FFEE00, DownlinkTEID: 2, QFI: 1},
		{UE: netip.MustParseAddr("10.45.0.3"), UplinkTEID: 0xC0FFEE01, DownlinkTEID: 4, QFI: 1},
	}
	if !reflect.DeepEqual(f.Streams, want) {
		t.Errorf("streams\n got %+v\nwant %+v", f.Streams, want)
	}
	if want := []traffic.Shape{{Payload: 64, SourcePort: 1000, DestinationPort: 2000}}; !reflect.DeepEqual(f.Shapes, want) || f.QFI != 1 || f.Direction != record.Uplink {
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
		if opposite(opposite(d)) != d || opposite(d) == d {
			t.Errorf("the opposite of %s is %s", d, opposite(d))
		}
	}
	f := WireFlow(settings(t, "quick", "sessions=2"), bed, record.Uplink)
	if f.Source[0] != 1 || f.Destination[0] != 2 || f.Expect.MAC[0] != 3 || len(f.Streams) != 2 || f.Streams[1].UplinkTEID != 3 {
		t.Errorf("flow over a wire: %+v", f)
	}
}
