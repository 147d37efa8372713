package n4

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/smf"
	"github.com/upflab/upflab/pfcp"
)

// Cause is PFCP's.
type Cause = pfcp.Cause

// Answer is what a case reads of a response.
type Answer struct {
	pfcp.Header
	Cause     pfcp.Cause // 0 when absent
	Offending pfcp.IEType
	Failed    string // "FAR 7"; "" without Failed Rule ID
	SEID      uint64 // of the UP F-SEID; 0 when absent
	NodeID    string
	Recovery  time.Time
	Features  smf.Features
	Created   []Created
	Usage     []Usage
}

// Created is a Created PDR, or an Updated PDR.
type Created struct {
	PDR  uint16
	TEID uint32
	N3   netip.Addr
	UE   netip.Addr
}

// Accepted reports whether the request was.
func (a *Answer) Accepted() bool { return a.Cause == pfcp.Cause(ie.CauseRequestAccepted) }

// Why is the cause with what it is about: "Rule creation/modification Failure (FAR 7)".
func (a *Answer) Why() string {
	text := a.Cause.String()
	switch {
	case a.Failed != "":
		return fmt.Sprintf("%d, %s (%s)", uint8(a.Cause), text, a.Failed)
	case a.Offending != 0:
		return fmt.Sprintf("%d, %s (%s)", uint8(a.Cause), text, a.Offending)
	}
	return fmt.Sprintf("%d, %s", uint8(a.Cause), text)
}

// ReadAnswer decodes a response.
func ReadAnswer(b []byte) (Answer, error) {
	h, ies, _, err := pfcp.Parse(b)
	a := Answer{Header: h}
	if err != nil {
		if h.Type == pfcp.VersionNotSupported {
			return a, nil
		}
		return a, fmt.Errorf("the %s is malformed: %w", h.Type, err)
	}
	err = pfcp.Decode(ies, func(all []*ie.IE) error {
		for _, i := range all {
			if err := a.read(i); err != nil {
				return fmt.Errorf("IE %d (%s): %w", i.Type, pfcp.IEType(i.Type), err)
			}
		}
		return nil
	})
	if err != nil {
		return a, fmt.Errorf("the %s is malformed: %w", h.Type, err)
	}
	return a, nil
}

func (a *Answer) read(i *ie.IE) (err error) {
	switch i.Type {
	case ie.Cause:
		var c uint8
		c, err = i.Cause()
		a.Cause = pfcp.Cause(c)
	case ie.OffendingIE:
		var t uint16
		t, err = i.OffendingIE()
		a.Offending = pfcp.IEType(t)
	case ie.FailedRuleID:
		a.Failed = failedRule(i)
	case ie.FSEID:
		var f *ie.FSEIDFields
		if f, err = i.FSEID(); err == nil {
			a.SEID = f.SEID
		}
	case ie.NodeID:
		a.NodeID, err = i.NodeID()
	case ie.RecoveryTimeStamp:
		a.Recovery, err = i.RecoveryTimeStamp()
	case ie.UPFunctionFeatures:
		a.Features = smf.FeaturesOf(i.Payload)
	case ie.CreatedPDR, ie.UpdatedPDR:
		err = a.readCreated(i)
	case ie.UsageReportWithinSessionModificationResponse, ie.UsageReportWithinSessionDeletionResponse:
		var u Usage
		u, err = readUsage(i)
		a.Usage = append(a.Usage, u)
	}
	return err
}

func failedRule(i *ie.IE) string {
	kinds := [...]string{"PDR", "FAR", "QER", "URR", "BAR"}
	kind, err := i.RuleIDType()
	if err != nil || int(kind) >= len(kinds) {
		return fmt.Sprintf("rule of type %d", kind)
	}
	id, err := i.FailedRuleID()
	if err != nil {
		return kinds[kind]
	}
	return fmt.Sprintf("%s %d", kinds[kind], id)
}

func (a *Answer) readCreated(i *ie.IE) (err error) {
	var c Created
	for _, child := range i.ChildIEs {
		switch child.Type {
		case ie.PDRID:
			c.PDR, err = child.PDRID()
		case ie.FTEID:
			var f *ie.FTEIDFields
			if f, err = child.FTEID(); err == nil {
				c.TEID = f.TEID
				c.N3, _ = netip.AddrFromSlice(f.IPv4Address)
			}
		case ie.UEIPAddress:
			var u *ie.UEIPAddressFields
			if u, err = child.UEIPAddress(); err == nil {
				c.UE, _ = netip.AddrFromSlice(u.IPv4Address)
			}
		}
		if err != nil {
			return err
		}
	}
	a.Created = append(a.Created, c)
	return nil
}
