package smf

import (
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// everyRule is a session with each kind of rule and each of its parts.
func everyRule() *rules.Session {
	ue := netip.MustParseAddr("10.45.0.2")
	volume := func(n uint64) *uint64 { return rules.Octets(n) }
	return &rules.Session{
		Endpoints: []rules.Endpoint{{ID: 1, TEID: 0x55, UE: ue, Source: rules.Access}},
		PDRs: []rules.PDR{
			{ID: 1, Precedence: 200, From: rules.Access, Endpoint: 1, QFIs: []uint8{9}, FAR: 1, URRs: []uint32{1}, QERs: []uint32{1}},
			{ID: 2, Precedence: 200, From: rules.Core, UE: ue, FAR: 2, URRs: []uint32{1}, QERs: []uint32{1}, Filters: []rules.Filter{{
				Flow: "permit out 17 from 198.51.100.10 80-90,443 to assigned", TOS: 0x10, Mask: 0xfc, SPI: 7, FlowLabel: 0x12345, ID: 1}}},
			{ID: 3, Precedence: 100, From: rules.Access, Choose: true, ChooseID: 7, UE: ue, NoInstance: true, FAR: 3,
				Removal: rules.Remove(6), Interface: rules.N9Roaming},
			{ID: 4, Precedence: 300, From: rules.Core, UE: ue, FAR: 1, Removal: rules.Remove(2)},
		},
		FARs: []rules.FAR{
			{ID: 1, Action: rules.Forward, To: rules.Core, Mark: &[2]byte{0x28, 0xfc},
				Tunnel: &rules.Tunnel{Peer: netip.MustParseAddr("198.51.100.20"), Kind: rules.UDP, Port: 5000}},
			{ID: 2, Action: rules.Buffer | rules.Notify, To: rules.Access, BAR: 1,
				Tunnel: &rules.Tunnel{TEID: 2, Peer: netip.MustParseAddr("10.10.3.1")}},
			{ID: 3, Action: rules.Forward | rules.Duplicate, To: rules.Core,
				Tunnel: &rules.Tunnel{Peer: netip.MustParseAddr("2001:db8::20"), Kind: rules.IP},
				Copy:   &rules.Tunnel{TEID: 9, Peer: netip.MustParseAddr("10.10.3.9")}},
			{ID: 4, Action: rules.Drop, ActionOnly: true},
		},
		URRs: []rules.URR{{ID: 1, Method: rules.ByVolume | rules.Duration, Time: 60, TimeQuota: 120, Packets: true, QuotaFAR: 4,
			Triggers:  rules.VolumeThreshold | rules.TimeThreshold | rules.VolumeQuota,
			Threshold: &rules.Volume{Total: volume(1000), Up: volume(600), Down: volume(400)}, Quota: &rules.Volume{Total: volume(5000)}}},
		QERs: []rules.QER{{ID: 1, CloseUp: true, QFI: 9, RQI: true, MBRUp: 1_000_000, MBRDown: 2_000_000, GBRUp: 1000, GBRDown: 2000}},
		BARs: []rules.BAR{{ID: 1, Delay: 2, Count: 10}},
	}
}

// everyChange is a modification with each kind of change.
func everyChange() *rules.Change {
	return &rules.Change{
		Remove: rules.Removed{PDRs: []uint16{3}, FARs: []uint32{3}, URRs: []uint32{2}, QERs: []uint32{2},
			BARs: []uint32{1}, Endpoints: []uint8{2}},
		Create: rules.Session{QERs: []rules.QER{{ID: 3, CloseDown: true}}},
		Update: rules.Session{
			Endpoints: []rules.Endpoint{{ID: 1, TEID: 0x66, UE: netip.MustParseAddr("10.45.0.2"), Source: rules.Access}},
			PDRs:      []rules.PDR{{ID: 1, Precedence: 100, From: rules.Access, WithoutPDI: true, FAR: 2, QERs: []uint32{1}}},
			FARs: []rules.FAR{{ID: 2, Action: rules.Forward, To: rules.Access, EndMarkers: true,
				Tunnel: &rules.Tunnel{TEID: 3, Peer: netip.MustParseAddr("10.10.3.9")}}},
			URRs: []rules.URR{{ID: 1, Method: rules.ByVolume, Triggers: rules.VolumeThreshold, Threshold: &rules.Volume{Total: rules.Octets(2000)}}},
			QERs: []rules.QER{{ID: 1, QFI: 7}},
		},
		Query: []uint32{1}, QueryAll: true, DropBuffered: true,
	}
}

func TestRulesAreWhatScapyWrites(t *testing.T) {
	w := &Writer{Dialect: Standard(), Instance: "internet", N3: netip.MustParseAddr("10.10.3.2")}
	node := netip.MustParseAddr("10.10.1.1")
	same(t, w.Establishment(0x0ABCDE, node, goldenCPSEID, node, everyRule()), golden(t, "rules-establish"))
	same(t, w.Modification(0x0ABCDF, goldenUPSEID, everyChange()), golden(t, "rules-modify"))
}

func TestReadsTheUsageReportThatScapyWrites(t *testing.T) {
	n := rules.Octets
	want := Message{
		Header:     pfcp.Header{Type: pfcp.SessionReportRequest, SEID: goldenCPSEID, HasSEID: true, Sequence: 0x0ABCDE},
		ReportType: UsageReport | DownlinkData, DataPDRs: []uint16{2},
		Usage: []Usage{{IE: pfcp.IEType(ie.UsageReportWithinSessionReportRequest), URR: 1, Sequence: 3, Named: true, Numbered: true, Triggered: true, Triggers: rules.VolumeThreshold | rules.MonitoringTime, Duration: 9 * time.Second, Timed: true,
			Information: AfterMonitoring,
			Volume:      rules.Volume{Total: n(3000), Up: n(2000), Down: n(1000), Packets: n(30), UpPkts: n(20), DownPkts: n(10)}}},
	}
	h, ies, _, err := pfcp.Parse(golden(t, "upf/usage-report"))
	if err != nil {
		t.Fatal(err)
	}
	var got Message
	if err := got.Read(h, ies, Strict); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, error %v\nwant %+v", got, err, want)
	}
}
