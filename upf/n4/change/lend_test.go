package change

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/session"
)

// TestLendUE: a PDR from the core without a UE address has that of the session, which may change later.
func TestLendUE(t *testing.T) {
	one, two := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	r := &session.Rules{PDRs: []session.PDR{
		{ID: 1, PDI: session.PDI{Source: session.Access, TEID: 7, HasTEID: true}},
		{ID: 2, PDI: session.PDI{Source: session.Core}},
		{ID: 3, PDI: session.PDI{Source: session.Core, UE: one}},
		{ID: 4, PDI: session.PDI{Source: session.Core, TEID: 8, HasTEID: true}},
	}}
	for _, ue := range []netip.Addr{one, two, {}} {
		r.PDRs[2].PDI.UE = ue
		lendUE(r)
		if p := r.PDRs[1].PDI; p.UE != ue || p.Borrowed != ue.IsValid() {
			t.Errorf("of %v: %+v", ue, p)
		}
		for _, i := range []int{0, 3} {
			if r.PDRs[i].PDI.HasUE() || r.PDRs[i].PDI.Borrowed {
				t.Errorf("PDR %d borrowed: %+v", r.PDRs[i].ID, r.PDRs[i].PDI)
			}
		}
	}
}

// TestLendBothFamilies: addresses that different PDRs have are lent together, and what an endpoint gives is a PDR's own.
func TestLendBothFamilies(t *testing.T) {
	four, six := netip.MustParseAddr("10.0.0.1"), netip.MustParsePrefix("2001:db8::/64")
	r := &session.Rules{PDRs: []session.PDR{
		{ID: 1, PDI: session.PDI{Source: session.Core}},
		{ID: 2, PDI: session.PDI{Source: session.Core, UE6: six}},
		{ID: 3, PDI: session.PDI{Source: session.Core, UE: four}},
	}}
	lendUE(r)
	p := &r.PDRs[0].PDI
	if p.UE != four || p.UE6 != six || !p.Borrowed {
		t.Errorf("%+v", p)
	}
	own := netip.MustParseAddr("10.0.0.9")
	(&session.Endpoint{ID: 1, PDI: session.PDI{UE: own}}).Fill(p)
	lendUE(r)
	if p.UE != own || p.UE6.IsValid() || p.Borrowed {
		t.Errorf("of an endpoint: %+v", p)
	}
}
