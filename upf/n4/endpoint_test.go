package n4

import (
	"net/netip"
	"testing"
)

// TestTrafficEndpoints: PDIs have what their traffic endpoint has, also when that changes, and
// PDRs go with it.
func TestTrafficEndpoints(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "endpoints")
	ue := netip.MustParseAddr("10.45.0.2")
	r := b.rules()
	if p := r.FindPDR(1).PDI; !p.HasTEID || p.TEID != firstTEID || p.UE != ue {
		t.Errorf("PDR 1 is %+v", p)
	}
	if p := r.FindPDR(2).PDI; p.HasTEID || p.UE != ue {
		t.Errorf("PDR 2 is %+v", p)
	}
	b.play("endpoint-remove-unknown", "endpoint-update-unknown", "endpoints-update")
	if r = b.rules(); r.FindPDR(1).PDI.TEID != 5 || r.FindPDR(1).PDI.UE != ue || r.FindPDR(2).PDI.UE != netip.MustParseAddr("10.45.0.9") {
		t.Errorf("after the update: %+v", r.PDRs)
	}
	if _, free := b.sessions.TEIDs.Claim(firstTEID, 7); !free {
		t.Error("the TEID that the endpoint had is not free")
	}
	b.play("endpoints-remove")
	if r = b.rules(); len(r.PDRs) != 1 || r.FindPDR(1) == nil || len(r.Endpoints) != 1 {
		t.Errorf("after the removal: %+v", r)
	}
	b.play("delete")
}

// TestFTEIDIsChosenAgain: an update that asks the UPF to choose gets another F-TEID, and the old one is free (TS 29.244
// clause 5.5.3).
func TestFTEIDIsChosenAgain(t *testing.T) {
	for _, c := range []struct {
		steps      []string
		teid, free uint32
	}{
		{[]string{"establish-choose", "update-choose"}, firstTEID + 1, firstTEID},
		{[]string{"establish-choose", "renew-choose"}, firstTEID + 1, firstTEID},
		{[]string{"establish-given", "update-choose-given"}, firstTEID, 1},
		{[]string{"endpoints", "endpoints-choose"}, firstTEID + 1, firstTEID},
	} {
		b := newBench(t, nil)
		b.play(append([]string{"setup"}, c.steps...)...)
		if p := b.rules().FindPDR(1).PDI; p.TEID != c.teid || !b.HasTEID(c.teid) || b.HasTEID(c.free) {
			t.Errorf("%v: PDR 1 has TEID %#x, want %#x, and %#x free", c.steps, p.TEID, c.teid, c.free)
		}
	}
}

func TestTrafficEndpointsAreRefused(t *testing.T) {
	newBench(t, nil).play("setup", "endpoint-unknown", "endpoint-twice", "endpoint-and-fteid", "endpoint-no-id", "endpoint-other-n3")
}
