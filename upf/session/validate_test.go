package session

import (
	"errors"
	"net/netip"
	"testing"
)

func sample() *Rules {
	ue := netip.MustParseAddr("10.45.0.2")
	return &Rules{
		SEID: 7,
		PDRs: []PDR{
			{ID: 1, RemoveOuterHeader: true, FAR: 1, QERs: []uint32{1},
				PDI: PDI{Source: Access, TEID: 1, HasTEID: true, UE: ue}},
			{ID: 2, FAR: 2, QERs: []uint32{1}, PDI: PDI{Source: Core, UE: ue}},
		},
		FARs: []FAR{
			{ID: 1, Action: Forward, Destination: Core},
			{ID: 2, Action: Forward, Destination: Access, Outer: &OuterHeader{TEID: 2, Peer: netip.MustParseAddr("192.0.2.1")}},
		},
		QERs: []QER{{ID: 1, QFI: 1, GateUL: true, GateDL: true}},
	}
}

// TestUnaddressed: the condition of Outer Header Creation is that an outer header is to be added (TS 29.244 table 7.5.2.3-2).
// A FAR to the access side may lack it; it is not complete then.
func TestUnaddressed(t *testing.T) {
	r := sample()
	if r.FARs[1].Unaddressed() || r.FARs[0].Unaddressed() {
		t.Error("FARs with a tunnel, and to core, are unaddressed")
	}
	r.FARs[1].Outer = nil
	if err := r.Validate(Basic); err != nil || !r.FARs[1].Unaddressed() {
		t.Errorf("a downlink FAR without a tunnel yet: %v, unaddressed %v", err, r.FARs[1].Unaddressed())
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		story string
		spoil func(*Rules)
		kind  Kind
		id    uint32
	}{
		{"QFI beyond six bits", func(r *Rules) { r.QERs[0].QFI = 64 }, KindQER, 1},
		{"two QERs with one ID", func(r *Rules) { r.QERs = append(r.QERs, r.QERs[0]) }, KindQER, 1},
		{"two FARs with one ID", func(r *Rules) { r.FARs[1].ID = 1 }, KindFAR, 1},
		{"no action", func(r *Rules) { r.FARs[0].Action = 0 }, KindFAR, 1},
		{"two actions", func(r *Rules) { r.FARs[0].Action = Drop | Forward }, KindFAR, 1},
		{"buffering that is not offered", func(r *Rules) { r.FARs[1].Action = Buffer | Notify }, KindFAR, 2},
		{"tunnel to a link-local gNB", func(r *Rules) { r.FARs[1].Outer.Peer = netip.MustParseAddr("fe80::1%n3") }, KindFAR, 2},
		{"plain from core to core", func(r *Rules) { r.FARs[1].Destination, r.FARs[1].Outer = Core, nil }, KindPDR, 2},
		{"two PDRs with one ID", func(r *Rules) { r.PDRs[1].ID = 1 }, KindPDR, 1},
		{"uplink without a TEID", func(r *Rules) { r.PDRs[0].PDI.HasTEID = false }, KindPDR, 1},
		{"downlink without a UE", func(r *Rules) { r.PDRs[1].PDI.UE = netip.Addr{} }, KindPDR, 2},
		{"IPv6 UE", func(r *Rules) { r.PDRs[1].PDI.UE = netip.IPv6Loopback() }, KindPDR, 2},
		{"tunnel from core", func(r *Rules) { r.PDRs[1].PDI.HasTEID = true }, KindPDR, 2},
		{"QFI to match in a packet from core", func(r *Rules) { r.PDRs[1].PDI.QFIs = QFIs(5) }, KindPDR, 2},
		{"unknown QER", func(r *Rules) { r.PDRs[1].QERs = []uint32{1, 9} }, KindPDR, 2},
		{"unknown FAR", func(r *Rules) { r.PDRs[1].FAR = 9 }, KindPDR, 2},
		{"buffering that is not offered, uplink", func(r *Rules) { r.FARs[0].Action = Buffer }, KindFAR, 1},
		{"uplink that keeps its tunnel", func(r *Rules) { r.PDRs[0].RemoveOuterHeader = false }, KindPDR, 1},
		{"downlink that removes one", func(r *Rules) { r.PDRs[1].RemoveOuterHeader = true }, KindPDR, 2},
	} {
		t.Run(c.story, func(t *testing.T) {
			r := sample()
			c.spoil(r)
			var got *RuleError
			if err := r.Validate(Basic); !errors.As(err, &got) {
				t.Fatalf("Validate = %v, want a RuleError", err)
			}
			if got.Kind != c.kind || got.ID != c.id {
				t.Errorf("Validate = %v, want %v %d", got, c.kind, c.id)
			}
		})
	}
}

func TestValidateAccepts(t *testing.T) {
	for _, c := range []struct {
		story  string
		change func(*Rules)
		offers Action
	}{
		{"the plain session", func(*Rules) {}, Basic},
		{"no rules at all", func(r *Rules) { *r = Rules{} }, Basic},
		{"a rule that drops needs no way", func(r *Rules) { r.FARs[1] = FAR{ID: 2, Action: Drop} }, Basic},
		{"buffering where it is offered", func(r *Rules) { r.FARs[1] = FAR{ID: 2, Action: Buffer | Notify} }, Basic | Buffer | Notify},
		{"a tunnel towards core (N9)", func(r *Rules) { r.FARs[0].Outer = r.FARs[1].Outer }, Basic},
		{"from a gNB to a gNB", func(r *Rules) { r.PDRs[0].FAR = 2 }, Basic},
		{"from another UPF", func(r *Rules) {
			r.PDRs[1].PDI.TEID, r.PDRs[1].PDI.HasTEID, r.PDRs[1].RemoveOuterHeader = 7, true, true
		}, Basic},
		{"uplink without a source check", func(r *Rules) { r.PDRs[0].PDI.UE = netip.Addr{} }, Basic},
	} {
		r := sample()
		c.change(r)
		if err := r.Validate(c.offers); err != nil {
			t.Errorf("%s: %v", c.story, err)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	r := sample()
	c := r.Clone()
	c.PDRs[0].QERs[0], c.FARs[1].Outer.TEID, c.QERs[0].QFI = 99, 99, 9
	r.PDRs[0].Predefined = []string{"video"}
	r.Clone().PDRs[0].Predefined[0] = "web"
	if r.PDRs[0].QERs[0] != 1 || r.PDRs[0].Predefined[0] != "video" || r.FARs[1].Outer.TEID != 2 || r.QERs[0].QFI != 1 {
		t.Error("a change of the clone changed the original")
	}
}
