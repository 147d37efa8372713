package request

import (
	"github.com/wmnsk/go-pfcp/ie"
)

// Modification is a Session Modification Request (TS 29.244 clauses 6.3.3,
// 7.5.4).
type Modification struct {
	CP      *CPFSEID // a new one, nil when it stays
	Node    string   // of the SMF that takes the session over from another one of its set; "": none does
	Changes *Changes
}

func decodeModification(f Fields) (Request, error) {
	p := Modification{}
	seid, _, err := f.may(ie.FSEID, 9)
	if err != nil {
		return nil, err
	}
	if len(seid) > 0 {
		if err := checkFSEID(seid); err != nil {
			return nil, err
		}
		cp := fseidOf(seid)
		p.CP = &cp
	}
	if f.Find(ie.NodeID) != nil {
		if p.Node, err = NodeIDOf(f); err != nil {
			return nil, err
		}
	}
	if p.Changes, err = DecodeChanges(f); err != nil {
		return p, err
	}
	reference, err := f.mayUint32(ie.QueryURRReference)
	if err != nil {
		return p, err
	}
	if reference != nil {
		p.Changes.QueryReference = ie.NewQueryURRReference(*reference)
	}
	flags, _, err := f.may(ie.PFCPSMReqFlags, 1)
	p.Changes.QueryAll = len(flags) > 0 && flags[0]&smReqQAURR != 0
	p.Changes.DropHeld = len(flags) > 0 && flags[0]&smReqDROBU != 0
	return p, err
}

// Deletion is a Session Deletion Request (TS 29.244 clauses 6.3.4, 7.5.6).
type Deletion struct{}

// SetDeletion is a Session Set Deletion Request (TS 29.244 clauses 6.2.10, 7.4.6.1): the
// sessions with one of the FQ-CSIDs go, without usage reports.
type SetDeletion struct {
	Node string
	Sets []string
}

func decodeSetDeletion(f Fields) (Request, error) {
	p := SetDeletion{}
	var err error
	if p.Node, err = NodeIDOf(f); err != nil {
		return nil, err
	}
	if p.Sets, err = setsOf(f); err != nil {
		return nil, err
	}
	if len(p.Sets) == 0 {
		return nil, MissingConditional(ie.FQCSID)
	}
	return p, nil
}
