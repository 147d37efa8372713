package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

func TestFlowsInShort(t *testing.T) {
	s, err := Open("load-latency", []string{"flows=tcp:downlink,ping"}, false)
	if err != nil {
		t.Fatal(err)
	}
	want := Flow{Kind: FlowTCP, Family: FlowAuto, Direction: record.Downlink, UEs: 1, Streams: 1, Duration: Duration{5 * time.Second},
		Interval: Duration{20 * time.Millisecond}, Beside: BesideNothing}
	if len(s.Flows) != 2 || s.Flows[0] != want || s.Flows[1].Direction != record.Uplink {
		t.Errorf("flows %+v", s.Flows)
	}
	if s.UEMTU() != 1556 {
		t.Errorf("the UE's MTU is %d of N3's %d", s.UEMTU(), s.MTU)
	}
}

func TestFlowsThatCannotBe(t *testing.T) {
	for text, words := range map[string]string{
		"flows: [{kind: tcp, ues: 2}]":                                                                 "needs 2 sessions",
		"flows: [{kind: ping, beside: tcp-uplink}]":                                                    "set sessions to 2 or more",
		"flows: [{kind: udp, octets: 1600}]":                                                           "takes 1528",
		"mtu: 600\npayload: 64\nflows: [{kind: tcp}]":                                                  "set mtu to 620 or more",
		"flows: [{kind: sctp}]":                                                                        "tcp",
		"flows: [{kind: tcp}]\nsoak: {share: 0.5}":                                                     "keep one",
		"flows: [{kind: tcp, direction: both}]":                                                        "direction",
		"flows: [{direction: uplink}]":                                                                 "needs kind",
		"flows: [{kind: ping, octets: 70000}]":                                                         "65507",
		"ran: external\nflows: [{kind: ping}]":                                                         "go together",
		"ran: external\nexternal_ue: {interfaces: [a]}\nflows: [{kind: tcp, ues: 2}]":                  "interfaces has 1",
		"ran: external\nexternal_ue: {interfaces: [a]}\nn6: {dn: 127.0.0.1}\nflows: [{kind: ping}]":    "not the address of a host",
		"ran: external\nexternal_ue: {interfaces: [a]}\nflows: [{kind: tcp, handover: true}]":          "core switches paths",
		"ran: external\nexternal_ue: {interfaces: [a]}":                                                "is for flows",
		"ran: external\nexternal_ue: {interfaces: [a], ssh: h, processes: [p]}\nflows: [{kind: ping}]": "watched on this machine alone",
		"flows: [{kind: tcp, family: ipv6}]":                                                           "set ue.family to both",
		"ue: {family: ipv6}\nflows: [{kind: tcp, family: ipv4}]":                                       "set ue.family to both",
		"ue: {family: ipv6}\nmtu: 1544\nflows: [{kind: udp, octets: 1453}]":                            "takes 1452; set octets to 1452 or less, or mtu to 1545 or more",
		"ue: {family: both}\nmtu: 1300\npayload: 64\nflows: [{kind: tcp}]":                             "IPv6 needs 1280; set mtu to 1324 or more",
		"ue: {family: ipv6}\nran: external\nexternal_ue: {interfaces: [a]}\nflows: [{kind: ping}]":     "are for IPv4",
		"ran: external\nexternal_ue: {interfaces: [a]}\nflows: [{kind: ping, family: ipv6}]":           "set its family to ipv4",
		"sessions: 64\nflows: [{kind: voice, ues: 64, streams: 2}]":                                    "at most 64 conversations",
		"flows: [{kind: xr, rate: 200}]":                                                               "at most 100 Mbit/s",
		"network_instances: [internet, ims]":                                                           "network_instances are for flows",
	} {
		doc, err := Parse([]byte(text), "x.yaml")
		if err == nil {
			_, err = doc.Scenario()
		}
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want %q", text, err, words)
		}
	}
}

// The links and UEs of another RAN are not the scenario's: any address can be the servers'.
func TestServersBehindAnotherRAN(t *testing.T) {
	for _, dn := range []string{"10.202.0.1", "10.45.0.1", "192.168.13.7"} {
		doc, err := Parse([]byte("ran: external\nexternal_ue: {interfaces: [a, b]}\nn6: {dn: "+dn+"}\nflows: [{kind: tcp, ues: 2}]"), "x.yaml")
		if err == nil {
			_, err = doc.Scenario()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Sections do not fit on the command line: one error says where they do.
func TestFlowsOnTheCommandLine(t *testing.T) {
	_, err := Open("load-latency", []string{"flows=[{kind: tcp, direction: downlink},{kind: ping}]"}, false)
	if err == nil || !strings.Contains(err.Error(), "kind:direction") ||
		!strings.Contains(err.Error(), "scenario file") || strings.Count(err.Error(), "--set") > 1 {
		t.Errorf("%v", err)
	}
}

// TestFamilyOfFlows: a flow is of IPv4 where UEs have it, unless it says otherwise.
func TestFamilyOfFlows(t *testing.T) {
	for _, c := range []struct {
		ue   Family
		flow FlowFamily
		want Family
	}{
		{FamilyIPv4, FlowAuto, FamilyIPv4}, {FamilyIPv6, FlowAuto, FamilyIPv6}, {FamilyBoth, FlowAuto, FamilyIPv4},
		{FamilyBoth, FlowIPv4, FamilyIPv4}, {FamilyBoth, FlowIPv6, FamilyIPv6}, {FamilyIPv6, FlowIPv6, FamilyIPv6},
	} {
		s := &Scenario{}
		s.UE.Family = c.ue
		if got := s.FamilyOf(Flow{Family: c.flow}); got != c.want {
			t.Errorf("UEs with %s, a flow of %s: %s, want %s", c.ue, c.flow, got, c.want)
		}
	}
}
