package request

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"
)

// Establishment is a Session Establishment Request (TS 29.244 clauses 6.3.2,
// 7.5.2).
type Establishment struct {
	Node    string
	CP      CPFSEID
	Changes *Changes
	Sets    []string // FQ-CSIDs
}

// CPFSEID is a CP F-SEID, which has an address at least.
type CPFSEID struct {
	SEID uint64
	Families
}

func decodeEstablishment(f Fields) (Request, error) {
	p := Establishment{}
	seid, err := f.must(ie.FSEID, 9)
	if err == nil {
		err = checkFSEID(seid)
	}
	if err != nil {
		return nil, err
	}
	p.CP = fseidOf(seid)
	p.Node, err = NodeIDOf(f)
	if err == nil {
		err = supportedPDN(f)
	}
	if err == nil {
		p.Sets, err = setsOf(f)
	}
	if err == nil {
		p.Changes, err = DecodeChanges(f)
	}
	switch {
	case err != nil:
	case len(p.Changes.CreatePDR) == 0:
		err = missing(ie.CreatePDR)
	case len(p.Changes.CreateFAR) == 0:
		err = missing(ie.CreateFAR)
	}
	if err != nil {
		return nil, p.To(err)
	}
	return p, nil
}

// checkFSEID wants the addresses that the flags speak of, one at least.
func checkFSEID(b []byte) error {
	switch size := addressOctets(b[0]); {
	case size == 0:
		return Incorrect(ie.FSEID, "it has no address")
	case len(b) < 9+size:
		return badLength(ie.FSEID)
	}
	return nil
}

// fseidOf reads an F-SEID (clause 8.2.37) that checkFSEID has taken.
func fseidOf(b []byte) CPFSEID {
	return CPFSEID{binary.BigEndian.Uint64(b[1:]), familiesOf(b[0], b[9:])}
}

// Address is where reports go from an N4 of a family, an IPv4 address as IPv4-mapped; zero: nowhere.
func (f CPFSEID) Address(six bool) (b [16]byte) {
	if a := f.Of(six); a.IsValid() {
		b = a.As16()
	}
	return b
}

// To addresses a rejection to the CP function's session.
func (p *Establishment) To(err error) error {
	r := RejectionOf(err)
	r.SEID = p.CP.SEID
	return r
}

func NoResources(reason string) error {
	return &Rejection{Cause: ie.CauseNoResourcesAvailable, Reason: reason}
}
