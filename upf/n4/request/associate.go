package request

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Setup is an Association Setup Request (TS 29.244 clauses 6.2.6, 7.4.4.1).
type Setup struct {
	Node     string
	Recovery uint32
	Set      SetChange
	Retain   *retention // nil: the sessions of an earlier association end
}

func decodeSetup(f Fields) (Request, error) {
	node, err := NodeIDOf(f)
	if err != nil {
		return nil, err
	}
	p := Setup{Node: node}
	if p.Recovery, err = f.mustUint32(ie.RecoveryTimeStamp); err != nil {
		return nil, err
	}
	if p.Set, err = decodeSet(f); err != nil {
		return nil, err
	}
	p.Retain, err = decodeRetention(f)
	return p, err
}

// Update is an Association Update Request (TS 29.244 clauses 6.2.7, 7.4.4.3). Only what it says of the SMF's set
// changes what the UP function does.
type Update struct {
	Node string
	Set  SetChange
}

func decodeUpdate(f Fields) (Request, error) {
	node, err := NodeIDOf(f)
	if err != nil {
		return nil, err
	}
	set, err := decodeSetChange(f)
	return Update{node, set}, err
}

// DecodeSetupAnswer reads an Association Setup Response (clause 7.4.4.2).
func DecodeSetupAnswer(b []byte) (p Setup, err error) {
	err = pfcp.Decode(b, func(list []*ie.IE) error {
		f := Fields(list)
		if cause, err := answerCause(f); err != nil || cause != ie.CauseRequestAccepted {
			return errors.Join(err, fmt.Errorf("its cause is %d (%s)", cause, pfcp.Cause(cause)))
		}
		if p.Node, err = NodeIDOf(f); err != nil {
			return err
		}
		stamp, err := f.must(ie.RecoveryTimeStamp, 4)
		if err != nil {
			return err
		}
		p.Recovery = binary.BigEndian.Uint32(stamp)
		p.Set, err = decodeSet(f)
		return err
	})
	return p, err
}

func answerCause(f Fields) (uint8, error) {
	b, err := f.must(ie.Cause, 1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// Release is an Association Release Request (TS 29.244 clauses 6.2.8, 7.4.4.5).
type Release struct{ Node string }

func decodeRelease(f Fields) (Request, error) {
	node, err := NodeIDOf(f)
	return Release{node}, err
}

// retention is PFCP Session Retention Information (table 7.4.4.1-2): which sessions of an earlier association stay.
type retention struct {
	Entities []Families // in whose CP F-SEID they are; all sessions when there are none
}

func decodeRetention(f Fields) (*retention, error) {
	i := f.Find(ie.PFCPSessionRetentionInformation)
	if i == nil {
		return nil, nil
	}
	r := &retention{}
	for _, c := range i.ChildIEs {
		if c.Type != ie.CPPFCPEntityIPAddress {
			continue
		}
		entity, err := decodeFamilies(c)
		if err != nil {
			return nil, err
		}
		r.Entities = append(r.Entities, entity)
	}
	return r, nil
}

// Retains reports whether a session stays whose CP F-SEID is of the address.
func (r *retention) Retains(at netip.Addr) bool {
	return len(r.Entities) == 0 || slices.ContainsFunc(r.Entities, func(e Families) bool { return at == e.four || at == e.six })
}
