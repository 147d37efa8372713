package change

import (
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// TestBidirectionalFilterIsUpdated: two PDRs have one SDF filter, the second by its ID alone.
// An update of the first one's is the second one's, too (TS 29.244 clause 8.2.5).
func TestBidirectionalFilterIsUpdated(t *testing.T) {
	const id = 7
	pdr := func(n uint16, source uint8, filter *ie.IE) *ie.IE {
		return ie.NewCreatePDR(ie.NewPDRID(n), ie.NewPrecedence(1), ie.NewFARID(1),
			ie.NewPDI(ie.NewSourceInterface(source), filter))
	}
	apply := func(r *session.Rules, ies ...*ie.IE) {
		t.Helper()
		c, err := request.DecodeChanges(request.Fields(ies))
		if err == nil {
			err = Apply(c, r, &Claims{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r := &session.Rules{SEID: 1}
	apply(r,
		pdr(1, ie.SrcInterfaceCore, ie.NewSDFFilter("permit out 17 from any 80 to assigned", "", "", "", id)),
		pdr(2, ie.SrcInterfaceAccess, ie.NewSDFFilter("", "", "", "", id)),
		pdr(3, ie.SrcInterfaceAccess, ie.NewSDFFilter("permit out 17 from any 53 to assigned", "", "", "", id+1)))
	apply(r, ie.NewUpdatePDR(ie.NewPDRID(1),
		ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceCore), ie.NewSDFFilter("permit out 17 from any 443 to assigned", "", "", "", id))))
	for i, want := range []uint16{443, 443, 53} {
		filters := r.PDRs[i].PDI.Filters
		if len(filters) != 1 || filters[0].RemotePorts[0].Low != want {
			t.Errorf("PDR %d: filters %+v, want the port %d", i+1, filters, want)
		}
	}
}
