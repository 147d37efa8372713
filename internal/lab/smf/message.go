package smf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Message is what is read of a UPF's message, a request or a response. What the message does not have
// is the zero value.
type Message struct {
	pfcp.Header
	Cause     pfcp.Cause
	Offending pfcp.IEType
	Failed    *FailedRule
	SEID      uint64     // of the UP F-SEID; that of the header is Header.SEID
	SEIDAddr  netip.Addr // of the UP F-SEID; IPv4 where it has both
	NodeID    NodeID
	Recovery  time.Time
	Features  Features
	Created   []Created // Created and Updated PDRs
	Usage     []Usage
	// ReportType are the bits of Report Type (clause 8.2.21), NodeReportType those of Node Report Type
	// (clause 8.2.69), and DataPDRs the PDRs of a downlink data report.
	ReportType, NodeReportType uint8
	DataPDRs                   []uint16
	Remote                     []FTEID // of an error indication report
	// From is where an answer of Exchange came from.
	From netip.AddrPort
}

// FTEID is a tunnel's end.
type FTEID struct {
	TEID uint32
	Addr netip.Addr // IPv4 where it has both
}

// NodeID is an address or a name; the zero value is absent.
type NodeID struct {
	Addr netip.Addr
	Name string
}

// String is the address or the name; empty when the Node ID is absent.
func (n NodeID) String() string {
	if n.Addr.IsValid() {
		return n.Addr.String()
	}
	return n.Name
}

// Created is a Created PDR, or an Updated PDR: what the UPF chose for a PDR.
type Created struct {
	PDR  uint16
	TEID uint32
	N3   netip.Addr // of the F-TEID; IPv4 where it has both
	UE   netip.Addr
}

// Usage is a usage report.
type Usage struct {
	// IE is which of the three Usage Report IEs it came as: each is for one message (clauses 7.5.5.2, 7.5.7.2, 7.5.8.3).
	IE       pfcp.IEType
	URR      uint32
	Sequence uint32 // UR-SEQN
	Triggers uint32 // the bits that package rules names
	// Named, Numbered and Triggered are whether it has the mandatory URR ID, UR-SEQN and Usage Report Trigger.
	Named, Numbered, Triggered bool
	Volume                     rules.Volume
	Duration                   time.Duration
	Timed                      bool // the report has a Duration
	// Information is the Usage Information (TS 29.244 clause 8.2.48).
	Information uint8
	// Start and End are when the report was begun and ended, First and Last when the first and the last of its packets
	// came; zero where the report does not have them (clause 7.5.8.3).
	Start, End, First, Last time.Time
}

// The types of a report, as the bits of Message.ReportType.
const (
	DownlinkData    = 1 << 0
	UsageReport     = 1 << 1
	ErrorIndication = 1 << 2
)

// The bits of Usage.Information that cases look at.
const (
	BeforeMonitoring = 1 << 0
	AfterMonitoring  = 1 << 1
)

// Strictness is what to do about an IE that cannot be read.
type Strictness uint8

const (
	// Tolerant reads the message as if the IE were absent. It does not allocate for an answer
	// that has no Created PDR, and is for loads.
	Tolerant Strictness = iota
	// Strict makes it an error, as it makes IEs whose lengths do not fit the message.
	Strict
)

// Accepted reports whether the request was accepted.
func (m *Message) Accepted() bool { return m.Cause == pfcp.Cause(ie.CauseRequestAccepted) }

// Why is the cause and what it is about: "73, Rule creation/modification Failure (FAR 7)".
func (m *Message) Why() string {
	switch {
	case m.Failed != nil:
		return fmt.Sprintf("%d, %s (%s)", uint8(m.Cause), m.Cause, m.Failed)
	case m.Offending != 0:
		return fmt.Sprintf("%d, %s (%s)", uint8(m.Cause), m.Cause, m.Offending)
	}
	return fmt.Sprintf("%d, %s", uint8(m.Cause), m.Cause)
}

// Read reads the IEs of a message whose header was parsed. It keeps nothing of ies.
func (m *Message) Read(h pfcp.Header, ies []byte, how Strictness) error {
	*m = Message{Header: h}
	if how == Strict {
		if err := pfcp.Check(ies); err != nil {
			return err
		}
	}
	return each(ies, how, m.read)
}

// each reads IEs one after the other, up to one that is longer than what is left. A strict reader has
// checked that there is none.
func each(b []byte, how Strictness, read func(typ uint16, v octets, how Strictness) error) error {
	for len(b) >= 4 {
		typ, end := binary.BigEndian.Uint16(b), 4+int(binary.BigEndian.Uint16(b[2:]))
		if end > len(b) {
			return nil
		}
		if err := read(typ, octets{b: b[4:end]}, how); err != nil && how == Strict {
			return fmt.Errorf("IE %d (%s): %w", typ, pfcp.IEType(typ), err)
		}
		b = b[end:]
	}
	return nil
}

// read takes one IE over. IEs without a use here are skipped.
func (m *Message) read(typ uint16, v octets, how Strictness) error {
	switch typ {
	case ie.Cause:
		m.Cause = pfcp.Cause(v.u8())
	case ie.OffendingIE:
		m.Offending = pfcp.IEType(v.u16())
	case ie.FailedRuleID:
		m.Failed = v.failedRule()
	case ie.FSEID:
		const v6, v4 = 1 << 0, 1 << 1
		flags := v.u8()
		m.SEID = v.u64()
		m.SEIDAddr = v.addr(flags&v4 != 0, flags&v6 != 0)
	case ie.NodeID:
		m.NodeID = v.nodeID()
	case ie.RecoveryTimeStamp:
		m.Recovery = v.time()
	case ie.UPFunctionFeatures:
		m.Features = featuresOf(v.b)
	case ie.ReportType:
		m.ReportType = v.u8()
	case ie.NodeReportType:
		m.NodeReportType = v.u8()
	case ie.CreatedPDR, ie.UpdatedPDR:
		m.Created = append(m.Created, Created{})
		return each(v.b, how, m.Created[len(m.Created)-1].read)
	case ie.DownlinkDataReport:
		return each(v.b, how, m.readDataReport)
	case ie.ErrorIndicationReport:
		return each(v.b, how, m.readErrorReport)
	case ie.UsageReportWithinSessionModificationResponse, ie.UsageReportWithinSessionDeletionResponse,
		ie.UsageReportWithinSessionReportRequest:
		m.Usage = append(m.Usage, Usage{IE: pfcp.IEType(typ)})
		return each(v.b, how, m.Usage[len(m.Usage)-1].read)
	}
	return v.err()
}

func (m *Message) readDataReport(typ uint16, v octets, _ Strictness) error {
	if typ == ie.PDRID {
		if id := v.u16(); !v.short {
			m.DataPDRs = append(m.DataPDRs, id)
		}
	}
	return v.err()
}

func (m *Message) readErrorReport(typ uint16, v octets, _ Strictness) error {
	if typ == ie.FTEID {
		const v4, v6 = 1 << 0, 1 << 1
		flags := v.u8()
		m.Remote = append(m.Remote, FTEID{TEID: v.u32(), Addr: v.addr(flags&v4 != 0, flags&v6 != 0)})
	}
	return v.err()
}

func (c *Created) read(typ uint16, v octets, _ Strictness) error {
	switch typ {
	case ie.PDRID:
		c.PDR = v.u16()
	case ie.FTEID:
		const v4, v6, choose = 1 << 0, 1 << 1, 1 << 2
		if flags := v.u8(); flags&choose == 0 {
			c.TEID = v.u32()
			c.N3 = v.addr(flags&v4 != 0, flags&v6 != 0)
		}
	case ie.UEIPAddress:
		const v6, v4 = 1 << 0, 1 << 1
		flags := v.u8()
		c.UE = v.addr(flags&v4 != 0, flags&v6 != 0)
	}
	return v.err()
}

func (u *Usage) read(typ uint16, v octets, _ Strictness) error {
	switch typ {
	case ie.URRID:
		u.URR, u.Named = v.u32(), true
	case ie.URSEQN:
		u.Sequence, u.Numbered = v.u32(), true
	case ie.UsageReportTrigger: // UPFs of older releases send two octets
		u.Triggered = true
		for n, o := range v.b[:min(3, len(v.b))] {
			u.Triggers |= uint32(o) << (8 * n)
		}
	case ie.DurationMeasurement:
		u.Duration, u.Timed = time.Duration(v.u32())*time.Second, !v.short
	case ie.StartTime:
		u.Start = v.time()
	case ie.EndTime:
		u.End = v.time()
	case ie.TimeOfFirstPacket:
		u.First = v.time()
	case ie.TimeOfLastPacket:
		u.Last = v.time()
	case ie.UsageInformation:
		u.Information = v.u8()
	case ie.VolumeMeasurement:
		flags, m := v.u8(), &u.Volume
		for bit, to := range [...]**uint64{&m.Total, &m.Up, &m.Down, &m.Packets, &m.UpPkts, &m.DownPkts} {
			if flags>>bit&1 != 0 {
				if n := v.u64(); !v.short {
					*to = &n
				}
			}
		}
	}
	return v.err()
}

// octets are the fields of an IE that were not read yet. Once there are too few of them, short is set
// and each further field is 0.
type octets struct {
	b     []byte
	short bool
}

var errShort = errors.New("it is shorter than its fields")

func (o *octets) err() error {
	if o.short {
		return errShort
	}
	return nil
}

// take cuts the next n octets off; nil when there are fewer.
func (o *octets) take(n int) (b []byte) {
	if o.short = o.short || n > len(o.b); o.short {
		return nil
	}
	b, o.b = o.b[:n], o.b[n:]
	return b
}

// number reads a number of n octets.
func (o *octets) number(n int) (v uint64) {
	for _, x := range o.take(n) {
		v = v<<8 | uint64(x)
	}
	return v
}

func (o *octets) u8() uint8   { return uint8(o.number(1)) }
func (o *octets) u16() uint16 { return uint16(o.number(2)) }
func (o *octets) u32() uint32 { return uint32(o.number(4)) }
func (o *octets) u64() uint64 { return o.number(8) }

// time reads seconds; the zero value where there are none.
func (o *octets) time() (at time.Time) {
	if stamp := o.u32(); !o.short {
		at = pfcp.Time(stamp).UTC()
	}
	return at
}

// addr reads the addresses of the families that there are, and gives the first.
func (o *octets) addr(v4, v6 bool) (a netip.Addr) {
	if v4 {
		a, _ = netip.AddrFromSlice(o.take(4))
	}
	if v6 {
		if six, ok := netip.AddrFromSlice(o.take(16)); ok && !v4 {
			a = six
		}
	}
	return a
}

// nodeID reads a Node ID: an IPv4 address, an IPv6 address, or a name in labels (clause 8.2.38).
func (o *octets) nodeID() NodeID {
	switch typ := o.u8() & 0x0f; {
	case o.short:
		return NodeID{}
	case typ < 2:
		return NodeID{Addr: o.addr(typ == 0, typ == 1)}
	}
	var labels []string
	for len(o.b) > 0 && !o.short {
		labels = append(labels, string(o.take(int(o.u8()))))
	}
	return NodeID{Name: strings.Join(labels, ".")}
}

// failedRule reads a Failed Rule ID (clause 8.2.80).
func (o *octets) failedRule() *FailedRule {
	kinds := [...]struct {
		name string
		size int // octets of its ID
	}{{"PDR", 2}, {"FAR", 4}, {"QER", 4}, {"URR", 4}, {"BAR", 1}}
	kind := o.u8() & 0x1f
	if int(kind) >= len(kinds) {
		return &FailedRule{Kind: "rule of type", ID: uint32(kind)}
	}
	k := kinds[kind]
	return &FailedRule{Kind: k.name, ID: uint32(o.number(k.size))}
}
