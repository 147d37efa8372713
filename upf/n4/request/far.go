package request

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// FARChange is a Create FAR or an Update FAR (TS 29.244 tables 7.5.2.3-1 and
// 7.5.4.3-1). What is nil is not to be changed.
type FARChange struct {
	ID          uint32
	Action      *session.Action
	Destination *session.Interface
	Outer       *session.OuterHeader
	RemoveOuter bool
	BAR         *uint32
	Marking     *uint8
	Copies      []session.Copy // nil: they stay
	EndMarker   bool           // SNDEM: mark the end of the old tunnel (clause 8.2.31)
}

func DecodeCreateFAR(f Fields) (FARChange, error) {
	a, err := decodeFAR(f, ie.ForwardingParameters)
	switch {
	case err != nil:
		return a, err
	case a.Action == nil:
		return a, missing(ie.ApplyAction)
	case *a.Action&session.Forward != 0 && a.Destination == nil:
		return a, MissingConditional(ie.ForwardingParameters)
	case *a.Action&session.Duplicate != 0 && a.Copies == nil:
		return a, MissingConditional(ie.DuplicatingParameters)
	}
	return a, nil
}

func DecodeUpdateFAR(f Fields) (FARChange, error) {
	return decodeFAR(f, ie.UpdateForwardingParameters)
}

func decodeFAR(f Fields, parameters uint16) (a FARChange, err error) {
	if a.ID, err = f.mustUint32(ie.FARID); err != nil {
		return a, err
	}
	if err = a.decodeAction(f); err != nil {
		return a, err
	}
	if f.Find(ie.RedundantTransmissionForwardingParameters) != nil {
		return a, a.failure("redundant transmission is not supported")
	}
	for _, typ := range []uint16{IEMBSMulticast, IEMBSUnicast, IERemoveMBSUnicast} {
		if f.Find(typ) != nil {
			return a, a.failure("multicast and broadcast (IE %d) is not supported", typ)
		}
	}
	bar, found, err := f.may(ie.BARID, 1)
	if err != nil {
		return a, err
	}
	if found {
		a.BAR = new(uint32)
		if len(bar) > 0 {
			*a.BAR = uint32(bar[0])
		}
	}
	if err := a.decodeCopies(f); err != nil {
		return a, err
	}
	i := f.Find(parameters)
	if i == nil {
		return a, nil
	}
	if parameters == ie.ForwardingParameters && Fields(i.ChildIEs).Find(ie.DestinationInterface) == nil {
		return a, missing(ie.DestinationInterface)
	}
	return a, a.decodeParameters(Fields(i.ChildIEs))
}

func (a *FARChange) failure(format string, args ...any) error {
	return RuleError(session.KindFAR, a.ID, format, args...)
}

// Flags of the first octet of Apply Action (clause 8.2.26).
const (
	actionDROP = 1 << 0
	ActionFORW = 1 << 1
	actionBUFF = 1 << 2
	actionNOCP = 1 << 3
	ActionDUPL = 1 << 4
)

func (a *FARChange) decodeAction(f Fields) error {
	b, _, err := f.may(ie.ApplyAction, 1)
	if err != nil || len(b) == 0 {
		return err
	}
	if b[0]&^(actionDROP|ActionFORW|actionBUFF|actionNOCP|ActionDUPL) != 0 || len(b) > 1 && b[1] != 0 {
		return a.failure("apply action %#x: only DROP, FORW, BUFF, NOCP and DUPL are supported", b)
	}
	action := session.Action(b[0]) // the same bits
	a.Action = &action
	return nil
}

func (a *FARChange) decodeParameters(f Fields) error {
	to, _, err := f.may(ie.DestinationInterface, 1)
	if err != nil {
		return err
	}
	if len(to) > 0 {
		destination, err := interfaceOf(to[0])
		if err != nil {
			return a.failure("destination %v", err)
		}
		a.Destination = &destination
	}
	for _, typ := range []uint16{ie.RedirectInformation, ie.ForwardingPolicy, ie.HeaderEnrichment, ie.Proxying, IEReplacement} {
		if f.Find(typ) != nil {
			return a.failure("forwarding parameter of type %d is not supported", typ)
		}
	}
	flags, _, _ := f.may(ie.PFCPSMReqFlags, 1)
	a.EndMarker = len(flags) > 0 && flags[0]&smReqSNDEM != 0
	if a.Marking, err = f.mayMarking(); err != nil {
		return err
	}
	return a.decodeOuter(f.Find(ie.OuterHeaderCreation))
}

// Flags of PFCPSMReq-Flags (clause 8.2.31).
const (
	smReqDROBU = 1 << 0 // drop what is buffered
	smReqSNDEM = 1 << 1 // send End Markers
	smReqQAURR = 1 << 2 // query all URRs
)

// The descriptions of an Outer Header Creation (clause 8.2.56); with both of GTP-U, IPv4 is
// used. The second octet says N19 and N6, which ask for nothing.
const (
	outerGTPUv4 = 0x0100
	outerGTPUv6 = 0x0200
	outerUDPv4  = 0x0400
	outerUDPv6  = 0x0800
	outerIPv4   = 0x1000
	outerIPv6   = 0x2000
)

func (a *FARChange) decodeOuter(i *ie.IE) error {
	if i == nil {
		return nil
	}
	if a.RemoveOuter = len(i.Payload) == 0; a.RemoveOuter {
		return nil
	}
	outer, err := a.tunnelOf(i)
	a.Outer = &outer
	return err
}

// tunnelOf reads an Outer Header Creation.
func (a *FARChange) tunnelOf(i *ie.IE) (t session.OuterHeader, err error) {
	o, err := i.OuterHeaderCreation()
	if err != nil {
		return t, badLength(ie.OuterHeaderCreation)
	}
	switch description := o.OuterHeaderCreationDescription & 0xff00; description {
	case outerGTPUv4, outerGTPUv4 | outerGTPUv6:
		t = session.OuterHeader{TEID: o.TEID, Peer: netip.AddrFrom4([4]byte(o.IPv4Address))}
	case outerGTPUv6:
		t = session.OuterHeader{TEID: o.TEID, Peer: netip.AddrFrom16([16]byte(o.IPv6Address))}
	case outerUDPv4, outerIPv4:
		t = session.OuterHeader{Peer: netip.AddrFrom4([4]byte(o.IPv4Address)), Kind: outerKinds[description], Port: o.PortNumber}
	case outerUDPv6, outerIPv6:
		t = session.OuterHeader{Peer: netip.AddrFrom16([16]byte(o.IPv6Address)), Kind: outerKinds[description], Port: o.PortNumber}
	default:
		return t, a.failure("outer header creation %#04x is not supported, %#04x and %#04x (GTP-U/UDP/IP), %#04x "+
			"and %#04x (UDP/IP), %#04x and %#04x (IP) are",
			o.OuterHeaderCreationDescription, outerGTPUv4, outerGTPUv6, outerUDPv4, outerUDPv6, outerIPv4, outerIPv6)
	}
	return t, nil
}

// outerKinds are those of tunnels on N6.
var outerKinds = map[uint16]session.Encapsulation{
	outerUDPv4: session.UDPv4, outerUDPv6: session.UDPv6, outerIPv4: session.IPv4, outerIPv6: session.IPv6,
}

// mayMarking reads a Transport Level Marking (TS 29.244 clause 8.2.12): a type of service
// and its mask (TS 29.212 clause 5.3.15). It is nil when absent, 0 when it is taken back.
func (f Fields) mayMarking() (*uint8, error) {
	b, found, err := f.may(ie.TransportLevelMarking, 2)
	if err != nil || !found {
		return nil, err
	}
	marking := new(uint8)
	if len(b) > 0 {
		*marking = b[0] & b[1]
	}
	return marking, nil
}

// decodeCopies reads where copies go: (Update) Duplicating Parameters, which replace those
// that there were.
func (a *FARChange) decodeCopies(f Fields) error {
	for _, i := range f {
		if i.Type != ie.DuplicatingParameters && i.Type != ie.UpdateDuplicatingParameters {
			continue
		}
		one, err := a.decodeCopy(Fields(i.ChildIEs))
		if err != nil {
			return err
		}
		a.Copies = append(a.Copies, one)
	}
	return nil
}

func (a *FARChange) decodeCopy(f Fields) (c session.Copy, err error) {
	to, err := f.must(ie.DestinationInterface, 1)
	if err != nil {
		return c, err
	}
	if to[0]&0x0f > DestinationLI {
		return c, a.failure("a copy's destination interface %d is not supported", to[0]&0x0f)
	}
	if f.Find(ie.ForwardingPolicy) != nil {
		return c, a.failure("a forwarding policy of copies is not supported")
	}
	outer := f.Find(ie.OuterHeaderCreation)
	if outer == nil || len(outer.Payload) == 0 {
		return c, a.failure("copies need an Outer Header Creation")
	}
	if c.OuterHeader, err = a.tunnelOf(outer); err != nil {
		return c, err
	}
	if c.Kind.OnN6() {
		return c, a.failure("copies go into GTP-U tunnels, and not into %v", c.Kind)
	}
	marking, err := f.mayMarking()
	if marking != nil {
		c.Marking = *marking
	}
	return c, err
}

// DestinationLI is LI function, the last Destination Interface that copies may have.
const DestinationLI = 4
