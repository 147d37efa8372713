package upf

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/upf"
	"github.com/upflab/upflab/upf/control"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/session"
	"github.com/upflab/upflab/upf/slowpath"
)

func exampleDetail() control.Detail {
	prefix, ue, gnb := netip.MustParsePrefix("10.45.0.1/32"), netip.MustParseAddr("10.45.0.1"), netip.MustParseAddr("198.51.100.1")
	return control.Detail{
		Session: control.Session{SEID: 0xab, CPSEID: 0x1, Node: "10.0.0.1",
			UEs: []netip.Prefix{prefix, netip.MustParsePrefix("2001:db8:1::/64")}, PDRs: 2, URRs: 1, Held: 3,
			Tunnels: []control.Tunnel{{TEID: 0x77, Address: gnb, Local: true}, {TEID: 0x88, Address: gnb}}},
		Peer: netip.MustParseAddrPort("10.0.0.1:8805"),
		Rules: &session.Rules{
			PDRs: []session.PDR{
				{ID: 2, Precedence: 200, PDI: session.PDI{Source: session.Core, UE: ue}, FAR: 2, QERs: []uint32{1}},
				{ID: 1, Precedence: 100, PDI: session.PDI{TEID: 0x77, HasTEID: true, UE: ue, QFIs: session.QFIs(9),
					Filters: make([]session.Filter, 2)}, FAR: 1, URRs: []uint32{4}},
			},
			FARs: []session.FAR{{ID: 1, Action: session.Forward, Destination: session.Core},
				{ID: 2, Action: session.Buffer | session.Notify, Outer: &session.OuterHeader{TEID: 0x88, Peer: gnb}}},
			QERs: []session.QER{{ID: 1, QFI: 9, GateUL: true, MBRUL: 1_500_000}},
			URRs: []session.URR{{ID: 4, Asked: session.URRParameters{Period: time.Minute}}},
		},
		Usage: []control.Usage{{URR: 4, UplinkPackets: 10, UplinkOctets: 1000, DownlinkPackets: 20, DownlinkOctets: 2000}},
	}
}

func TestWriteSessions(t *testing.T) {
	var b bytes.Buffer
	d := exampleDetail()
	list := control.Sessions{Total: 2, Sessions: []control.Session{d.Session}}
	if err := writeSessions(&b, list, ""); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n")
	if err := writeSession(&b, d); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n")
	dropped := upf.Counters{
		Datapath: upf.DatapathCounters{Uplink: upf.Direction{Packets: 7}, Lost: 6,
			Drops:   map[string]uint64{"no route": 2, "unknown TEID": 5},
			Workers: []upf.Worker{{}, {Missed: 1}}},
		GTPU:     n3.Counters{Reassembled: 4, Strays: 8},
		SlowPath: slowpath.Counters{Packets: 9, Fragmented: 3, Lost: 2},
	}
	if err := writeDrops(&b, &dropped); err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "upf-sessions.txt", b.String())
}
