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
	addr6       netip.Addr
	four, six   bool // which addresses are given, or asked for
}

// failing makes the error about what is decoded.
type failing func(format string, args ...any) error

func decodeFTEID(f fields, failure failing) (fteid, error) {
	i := f.find(ie.FTEID)
	if i == nil {
		return fteid{}, nil
	}
	v, err := i.FTEID()
	switch {
	case err != nil:
		return fteid{}, badLength(ie.FTEID)
	case !v.HasIPv4() && !v.HasIPv6():
		return fteid{}, failure("the F-TEID is neither an IPv4 nor an IPv6 one")
	case v.HasCh():
		return fteid{choose: true, hasChooseID: v.HasChID(), chooseID: v.ChooseID, four: v.HasIPv4(), six: v.HasIPv6()}, nil
	case v.TEID == 0:
		return fteid{}, failure("TEID 0 is not for a G-PDU")
	}
	t := fteid{given: true, teid: v.TEID, four: v.HasIPv4(), six: v.HasIPv6()}
	if t.four {
		t.addr = netip.AddrFrom4([4]byte(v.IPv4Address))
	}
	if t.six {
		t.addr6 = netip.AddrFrom16([16]byte(v.IPv6Address))
	}
	return t, nil
}

// createdPDR is the IE that gives the CP function the F-TEID and the UE addresses that were
// chosen (table 7.5.3.2-1).
func (t *tunnels) createdPDR(c choice, p *session.PDI) *ie.IE {
	return ie.NewCreatedPDR(append([]*ie.IE{ie.NewPDRID(c.pdr)}, t.chosenIEs(c, p)...)...)
}

// chosenIEs are the F-TEID and the UE IP Address, of those that were chosen.
func (t *tunnels) chosenIEs(c choice, p *session.PDI) (ies []*ie.IE) {
	if c.teid != 0 {
		ies = append(ies, ie.NewFTEID(c.families(), c.teid, t.n3.AsSlice(), t.n36.AsSlice(), 0))
	}
	if ue := ueIP(p, c.ue); ue != nil {
		ies = append(ies, ue)
	}
	return ies
}

// families are V4 and V6 of the F-TEID.
func (c choice) families() (flags uint8) {
	if c.four {
		flags |= 1
	}
	if c.six {
		flags |= 2
	}
	return flags
}
