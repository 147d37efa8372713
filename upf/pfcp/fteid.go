package pfcp

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// fteid is a local F-TEID IE (TS 29.244 clause 8.2.3): given by the CP
// function, or for the UP function to choose.
type fteid struct {
	given       bool // teid and addr are meant
	choose      bool
	hasChooseID bool
	chooseID    uint8 // PDRs of a request with the same one share the F-TEID
	teid        uint32
	addr        netip.Addr
}

func (p *pdrChange) decodeFTEID(f fields) (fteid, error) {
	i := f.find(ie.FTEID)
	if i == nil {
		return fteid{}, nil
	}
	v, err := i.FTEID()
	switch {
	case err != nil:
		return fteid{}, badLength(ie.FTEID)
	case !v.HasIPv4():
		return fteid{}, p.failure("the F-TEID is not an IPv4 one")
	case v.HasCh():
		return fteid{choose: true, hasChooseID: v.HasChID(), chooseID: v.ChooseID}, nil
	case v.TEID == 0:
		return fteid{}, p.failure("TEID 0 is not for a G-PDU")
	}
	return fteid{given: true, teid: v.TEID, addr: netip.AddrFrom4([4]byte(v.IPv4Address))}, nil
}

// createdPDR is the IE that gives the CP function the F-TEID and the UE addresses that were
// chosen (table 7.5.3.2-1).
func createdPDR(c choice, p *session.PDI, n3 netip.Addr) *ie.IE {
	ies := []*ie.IE{ie.NewPDRID(c.pdr)}
	if c.teid != 0 {
		ies = append(ies, ie.NewFTEID(0x01, c.teid, n3.AsSlice(), nil, 0))
	}
	if ue := ueIP(p, c.ue); ue != nil {
		ies = append(ies, ue)
	}
	return ie.NewCreatedPDR(ies...)
}
