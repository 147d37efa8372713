package smf

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// reply holds what is used of a peer's message, request or response.
type reply struct {
	pfcp.Header
	cause     pfcp.Cause // 0 when absent
	offending pfcp.IEType
	failed    *FailedRule
	upSEID    uint64 // of the UP F-SEID; 0 when absent
	nodeID    string
	recovery  time.Time // zero when absent
	features  Features
	created   []createdPDR
}

// createdPDR is the F-TEID that the UPF gave to a PDR.
type createdPDR struct {
	id   uint16
	teid uint32
	addr netip.Addr
}

// decode reads the IEs of a message; no IE is read elsewhere.
func decode(h pfcp.Header, ies []byte) (reply, error) {
	r := reply{Header: h}
	err := pfcp.Decode(ies, r.readAll)
	return r, err
}

func (r *reply) readAll(all []*ie.IE) error {
	for _, i := range all {
		if err := r.read(i); err != nil {
			return fmt.Errorf("IE %d (%s): %w", i.Type, pfcp.IEType(i.Type), err)
		}
	}
	return nil
}

// read takes one IE over; IEs without a use here are skipped.
func (r *reply) read(i *ie.IE) (err error) {
	switch i.Type {
	case ie.Cause:
		var c uint8
		c, err = i.Cause()
		r.cause = pfcp.Cause(c)
	case ie.OffendingIE:
		var t uint16
		t, err = i.OffendingIE()
		r.offending = pfcp.IEType(t)
	case ie.FailedRuleID:
		r.failed, err = readFailedRule(i)
	case ie.FSEID:
		r.upSEID, err = readFSEID(i)
	case ie.NodeID:
		r.nodeID, err = readNodeID(i)
	case ie.RecoveryTimeStamp:
		var t time.Time
		t, err = i.RecoveryTimeStamp()
		r.recovery = t.UTC()
	case ie.UPFunctionFeatures:
		r.features = FeaturesOf(i.Payload)
	case ie.CreatedPDR:
		err = r.readCreated(i)
	}
	return err
}

func readFailedRule(i *ie.IE) (*FailedRule, error) {
	kinds := [...]string{"PDR", "FAR", "QER", "URR", "BAR"}
	kind, err := i.RuleIDType()
	if err != nil {
		return nil, err
	}
	if int(kind) >= len(kinds) {
		return &FailedRule{Kind: fmt.Sprintf("rule of type %d", kind)}, nil
	}
	id, err := i.FailedRuleID()
	return &FailedRule{Kind: kinds[kind], ID: id}, err
}

func readFSEID(i *ie.IE) (uint64, error) {
	f, err := i.FSEID()
	if err != nil {
		return 0, err
	}
	return f.SEID, nil
}

func readNodeID(i *ie.IE) (string, error) {
	id, err := i.NodeID()
	if id == "<nil>" {
		return "", errors.New("its address is cut short")
	}
	return id, err
}

func (r *reply) readCreated(i *ie.IE) error {
	var c createdPDR
	for _, child := range i.ChildIEs {
		var err error
		switch child.Type {
		case ie.PDRID:
			c.id, err = child.PDRID()
		case ie.FTEID:
			c.teid, c.addr, err = readFTEID(child)
		}
		if err != nil {
			return err
		}
	}
	r.created = append(r.created, c)
	return nil
}

// readFTEID prefers the IPv4 address where there are both.
func readFTEID(i *ie.IE) (teid uint32, addr netip.Addr, err error) {
	f, err := i.FTEID()
	if err != nil {
		return 0, addr, err
	}
	addr, ok := netip.AddrFromSlice(f.IPv4Address)
	if !ok {
		addr, _ = netip.AddrFromSlice(f.IPv6Address)
	}
	return f.TEID, addr, nil
}

// uplink is the F-TEID that the UPF chose for the uplink PDR.
func (r *reply) uplink() (createdPDR, bool) {
	for _, c := range r.created {
		if c.id == pdrUplink && c.teid != 0 {
			return c, true
		}
	}
	return createdPDR{}, false
}
