package n4

import (
	"encoding/json"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/n4/procedure"
	"github.com/upflab/upflab/upf/session"
)

// TestRulesAreKept: rules survive JSON, with each field.
func TestRulesAreKept(t *testing.T) {
	minute := time.Minute
	was := &session.Rules{
		SEID: 1 << 63,
		PDRs: []session.PDR{{ID: 1, Precedence: 2, RemoveOuterHeader: true, Removal: session.IPv6, FAR: 3,
			QERs: []uint32{4}, URRs: []uint32{5}, PDI: session.PDI{
				Source: session.Core, Endpoint: 1, TEID: 1 << 31, HasTEID: true, UE: netip.MustParseAddr("10.0.0.1"), QFIs: 1 << 63,
				Filters: []session.Filter{{ID: 1, Remote: netip.MustParsePrefix("10.0.0.0/8"),
					RemotePorts: []session.Ports{{Low: 1, High: 2}}, HasProtocol: true}},
			}}},
		FARs: []session.FAR{{ID: 3, Action: session.Forward,
			Outer: &session.OuterHeader{TEID: 7, Peer: netip.MustParseAddr("10.0.0.2"), Kind: session.UDPv4, Port: 9},
			BAR:   1}},
		QERs: []session.QER{{ID: 4, QFI: 9, RQI: true, GateUL: true, MBRUL: 1 << 50, GBRDL: 5}},
		URRs: []session.URR{{ID: 5, Limits: session.Limits{Quota: session.Octets{Total: 1}, Closed: true},
			Asked: session.URRParameters{Volume: true, Quota: &session.Octets{Uplink: 3}, TimeQuota: &minute,
				Period: minute, MonitoringTime: time.Unix(1_800_000_000, 0).UTC(), SubsequentTimeQuota: &minute,
				InactivityDetection: minute, QuotaFAR: 3,
				Additional: []session.Monitoring{{Time: time.Unix(1_800_000_001, 0).UTC(),
					Quota: &session.Octets{Total: 1}}}}}},
		BARs: []session.BAR{{ID: 1, Delay: minute, Packets: 3}},

		Endpoints: []session.Endpoint{{ID: 0, PDI: session.PDI{TEID: 1 << 31, HasTEID: true}}},
	}
	text, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	now := &session.Rules{}
	if err := json.Unmarshal(text, now); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(was, now) {
		t.Errorf("they were\n%+v, are\n%+v", was, now)
	}
}

// TestUnreadableIsLost: what cannot be read is lost alone, counted, and not kept any longer.
func TestUnreadableIsLost(t *testing.T) {
	kept := &notebook{values: map[string]json.RawMessage{}}
	b := newBench(t, func(c *Config) { c.Keeper = kept })
	b.play("setup", "establish-given")
	kept.values["sessioo/12"], kept.values["session/34"] = json.RawMessage(`{}`), json.RawMessage(`{"CP":"x"}`)
	again := newBench(t, func(c *Config) { c.Keeper = kept })
	r := again.Restore(procedure.Kept{Recovery: started, Values: maps.Clone(kept.values), Damaged: 1})
	if r != (procedure.Restored{Associations: 1, Sessions: 1, Lost: 3}) {
		t.Errorf("restored %+v", r)
	}
	if len(kept.values) != 2 {
		t.Errorf("kept on: %v", slices.Collect(maps.Keys(kept.values)))
	}
}
