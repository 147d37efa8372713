package pfcp

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// farChange is a Create FAR or an Update FAR (TS 29.244 tables 7.5.2.3-1 and
// 7.5.4.3-1). What is nil is not to be changed.
type farChange struct {
	id          uint32
	action      *session.Action
	destination *session.Interface
	outer       *session.OuterHeader
	removeOuter bool
	bar         *uint32
	marking     *uint8
	copies      []session.Copy // nil: they stay
	endMarker   bool           // SNDEM: mark the end of the old tunnel (clause 8.2.31)
}

func decodeCreateFAR(f fields) (farChange, error) {
	a, err := decodeFAR(f, ie.ForwardingParameters)
	switch {
	case err != nil:
		return a, err
	case a.action == nil:
		return a, missing(ie.ApplyAction)
	case *a.action&session.Forward != 0 && a.destination == nil:
		return a, missingConditional(ie.ForwardingParameters)
	case *a.action&session.Duplicate != 0 && a.copies == nil:
		return a, missingConditional(ie.DuplicatingParameters)
	}
	return a, nil
}

func decodeUpdateFAR(f fields) (farChange, error) {
	return decodeFAR(f, ie.UpdateForwardingParameters)
}

func decodeFAR(f fields, parameters uint16) (a farChange, err error) {
	if a.id, err = f.mustUint32(ie.FARID); err != nil {
		return a, err
	}
	if err = a.decodeAction(f); err != nil {
		return a, err
	}
	if f.find(ie.RedundantTransmissionForwardingParameters) != nil {
		return a, a.failure("redundant transmission is not supported")
	}
	for _, typ := range []uint16{ieMBSMulticast, ieMBSUnicast, ieRemoveMBSUnicast} {
		if f.find(typ) != nil {
			return a, a.failure("multicast and broadcast (IE %d) is not supported", typ)
		}
	}
	bar, found, err := f.may(ie.BARID, 1)
	if err != nil {
		return a, err
	}
	if found {
		a.bar = new(uint32)
		if len(bar) > 0 {
			*a.bar = uint32(bar[0])
		}
	}
	if err := a.decodeCopies(f); err != nil {
		return a, err
	}
	i := f.find(parameters)
	if i == nil {
		return a, nil
	}
	if parameters == ie.ForwardingParameters && fields(i.ChildIEs).find(ie.DestinationInterface) == nil {
		return a, missing(ie.DestinationInterface)
	}
	return a, a.decodeParameters(fields(i.ChildIEs))
}

func (a *farChange) failure(format string, args ...any) error {
	return ruleError(session.KindFAR, a.id, format, args...)
}

// Flags of the first octet of Apply Action (clause 8.2.26).
const (
	actionDROP = 1 << 0
	actionFORW = 1 << 1
	actionBUFF = 1 << 2
	actionNOCP = 1 << 3
	actionDUPL = 1 << 4
)

func (a *farChange) decodeAction(f fields) error {
	b, _, err := f.may(ie.ApplyAction, 1)
	if err != nil || len(b) == 0 {
		return err
	}
	if b[0]&^(actionDROP|actionFORW|actionBUFF|actionNOCP|actionDUPL) != 0 || len(b) > 1 && b[1] != 0 {
		return a.failure("apply action %#x: only DROP, FORW, BUFF, NOCP and DUPL are supported", b)
	}
	action := session.Action(b[0]) // the same bits
	a.action = &action
	return nil
}

func (a *farChange) decodeParameters(f fields) error {
	to, _, err := f.may(ie.DestinationInterface, 1)
	if err != nil {
		return err
	}
	if len(to) > 0 {
		destination, err := interfaceOf(to[0])
		if err != nil {
			return a.failure("destination %v", err)
		}
		a.destination = &destination
	}
	for _, typ := range []uint16{ie.RedirectInformation, ie.ForwardingPolicy, ie.HeaderEnrichment, ie.Proxying, ieReplacement} {
		if f.find(typ) != nil {
			return a.failure("forwarding parameter of type %d is not supported", typ)
		}
	}
	flags, _, _ := f.may(ie.PFCPSMReqFlags, 1)
	a.endMarker = len(flags) > 0 && flags[0]&smReqSNDEM != 0
	if a.marking, err = f.mayMarking(); err != nil {
		return err
	}
	return a.decodeOuter(f.find(ie.OuterHeaderCreation))
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

func (a *farChange) decodeOuter(i *ie.IE) error {
	if i == nil {
		return nil
	}
	if a.removeOuter = len(i.Payload) == 0; a.removeOuter {
		return nil
	}
	outer, err := a.tunnelOf(i)
	a.outer = &outer
	return err
}

// tunnelOf reads an Outer Header Creation.
func (a *farChange) tunnelOf(i *ie.IE) (t session.OuterHeader, err error) {
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
func (f fields) mayMarking() (*uint8, error) {
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
func (a *farChange) decodeCopies(f fields) error {
	for _, i := range f {
		if i.Type != ie.DuplicatingParameters && i.Type != ie.UpdateDuplicatingParameters {
			continue
		}
		one, err := a.decodeCopy(fields(i.ChildIEs))
		if err != nil {
			return err
		}
		a.copies = append(a.copies, one)
	}
	return nil
}

func (a *farChange) decodeCopy(f fields) (c session.Copy, err error) {
	to, err := f.must(ie.DestinationInterface, 1)
	if err != nil {
		return c, err
	}
	if to[0]&0x0f > destinationLI {
		return c, a.failure("a copy's destination interface %d is not supported", to[0]&0x0f)
	}
	if f.find(ie.ForwardingPolicy) != nil {
		return c, a.failure("a forwarding policy of copies is not supported")
	}
	outer := f.find(ie.OuterHeaderCreation)
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

// destinationLI is LI function, the last Destination Interface that copies may have.
const destinationLI = 4

// checkCopies wants an address of the UPF's for the tunnels of copies.
func checkCopies(r *session.Rules, n36 netip.Addr) error {
	for i := range r.FARs {
		f := &r.FARs[i]
		for _, c := range f.Copies {
			if f.Action&session.Duplicate != 0 && c.Peer.Is6() && !n36.IsValid() {
				return ruleError(session.KindFAR, f.ID, "its copies go to %v, and the UPF has no IPv6 address on N3", c.Peer)
			}
		}
	}
	return nil
}
