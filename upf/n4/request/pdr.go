package request

import (
	"cmp"
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// PDRChange is a Create PDR or an Update PDR (TS 29.244 tables 7.5.2.2-1 and
// 7.5.4.2-1). What is nil is not to be changed.
type PDRChange struct {
	ID         uint16
	Precedence *uint32
	PDI        *PDI
	Removal    *bool
	Removes6   bool                  // what is removed is GTP-U over IPv6
	Removes    session.Encapsulation // the kind that is removed
	FAR        *uint32
	QERs, URRs []uint32
	// Names of predefined rules.
	Activate, Deactivate []string
}

// PDI is a PDI whose TEID is perhaps still to be chosen.
type PDI struct {
	session.PDI
	FTEID FTEID
	// ChooseUE asks for an IPv4 address, and for an IPv6 prefix, of the UPF's.
	ChooseUE [2]bool
	filters  []uint32 // IDs of SDF filters of other PDRs
}

func decodeCreatePDR(f Fields) (PDRChange, error) {
	p, err := DecodeUpdatePDR(f)
	switch {
	case err != nil:
		return p, err
	case p.Precedence == nil:
		return p, missing(ie.Precedence)
	case p.PDI == nil:
		return p, missing(ie.PDI)
	case p.FAR == nil && len(p.Activate) == 0: // else a predefined rule may have one
		return p, MissingConditional(ie.FARID)
	}
	return p, nil
}

func DecodeUpdatePDR(f Fields) (p PDRChange, err error) {
	if p.ID, err = f.mustUint16(ie.PDRID); err != nil {
		return p, err
	}
	if err := cmp.Or(p.refuseAround(f), p.decodePredefined(f)); err != nil {
		return p, err
	}
	if p.Precedence, err = f.mayUint32(ie.Precedence); err != nil {
		return p, err
	}
	if p.FAR, err = f.mayUint32(ie.FARID); err != nil {
		return p, err
	}
	if p.QERs, err = f.listUint32(ie.QERID); err != nil {
		return p, err
	}
	if p.URRs, err = f.listUint32(ie.URRID); err != nil {
		return p, err
	}
	if err = p.decodeRemoval(f); err != nil {
		return p, err
	}
	if i := f.Find(ie.PDI); i != nil {
		p.PDI, err = p.decodePDI(Fields(i.ChildIEs))
	}
	return p, err
}

func (p *PDRChange) Failure(format string, args ...any) error {
	return RuleError(session.KindPDR, uint32(p.ID), format, args...)
}

// Outer Header Removal descriptions (clause 8.2.64).
const (
	removeGTPUv4 = 0 // GTP-U/UDP/IPv4
	removeGTPUv6 = 1 // GTP-U/UDP/IPv6
	removeUDPv4  = 2 // UDP/IPv4, and so on
	removeUDPv6  = 3
	removeIPv4   = 4
	removeIPv6   = 5
	removeGTPU   = 6 // GTP-U/UDP/IP, whichever
)

// removals are the kinds by description.
var removals = [...]session.Encapsulation{
	removeGTPUv4: session.GTPU, removeGTPUv6: session.GTPU, removeUDPv4: session.UDPv4, removeUDPv6: session.UDPv6,
	removeIPv4: session.IPv4, removeIPv6: session.IPv6, removeGTPU: session.GTPU,
}

func (p *PDRChange) decodeRemoval(f Fields) error {
	b, found, err := f.may(ie.OuterHeaderRemoval, 1)
	if err != nil || !found {
		return err
	}
	remove := len(b) > 0
	if remove && int(b[0]) >= len(removals) {
		return p.Failure("outer header removal %d is not supported, 0 to %d are", b[0], len(removals)-1)
	}
	if remove {
		p.Removes6, p.Removes = b[0] == removeGTPUv6, removals[b[0]]
	}
	p.Removal = &remove
	return nil
}

func (p *PDRChange) decodePDI(f Fields) (*PDI, error) {
	d := &PDI{}
	source, err := f.must(ie.SourceInterface, 1)
	if err != nil {
		return nil, err
	}
	if d.Source, err = interfaceOf(source[0]); err != nil {
		return nil, p.Failure("source %v", err)
	}
	if err := p.refuse(f); err != nil {
		return nil, err
	}
	if d.FTEID, err = decodeFTEID(f, p.Failure); err != nil {
		return nil, err
	}
	if err = p.decodeReference(d, f); err != nil {
		return nil, err
	}
	if d.Source == session.CPFunction {
		if !d.FTEID.Given && !d.FTEID.Choose && d.Endpoint == 0 {
			return nil, p.Failure("a PDI for the CP function needs a local F-TEID")
		}
		d.Source = session.Core
	}
	if err = decodeUE(d, f, p.Failure); err != nil {
		return nil, err
	}
	if d.Framed, err = decodeFramed(f, p.Failure); err != nil {
		return nil, err
	}
	if d.QFIs, err = decodeQFIs(f, p.Failure); err != nil {
		return nil, err
	}
	if err := p.decodeApplication(d, f); err != nil {
		return nil, err
	}
	return d, p.decodeFilters(d, f)
}

func decodeQFIs(f Fields, failure Failing) (set session.QFISet, err error) {
	for _, i := range f {
		switch {
		case i.Type != ie.QFI:
		case len(i.Payload) == 0:
			return 0, badLength(ie.QFI)
		case i.Payload[0]&session.MaxQFI == 0:
			return 0, failure("QFI 0 is no QoS flow: give 1..%d", session.MaxQFI)
		default:
			set |= session.QFIs(i.Payload[0] & session.MaxQFI)
		}
	}
	return set, nil
}

// decodeApplication reads an Application ID, whose filters PFD management gives.
func (p *PDRChange) decodeApplication(d *PDI, f Fields) error {
	id, found, err := f.may(ie.ApplicationID, 1)
	switch {
	case err != nil:
		return err
	case found && f.Find(ie.SDFFilter) != nil:
		return p.Failure("a PDI has SDF filters or an Application ID, not both")
	}
	d.Application = string(id)
	return nil
}

func (p *PDRChange) decodeFilters(d *PDI, f Fields) error {
	for _, i := range f {
		if i.Type != ie.SDFFilter {
			continue
		}
		filter, refers, err := p.decodeFilter(i)
		switch {
		case err != nil:
			return err
		case refers:
			d.filters = append(d.filters, filter.ID)
		default:
			d.Filters = append(d.Filters, filter)
		}
	}
	return nil
}

// refuseAround looks, beside the PDI, for what would have packets match at some times, or
// be handled otherwise.
func (p *PDRChange) refuseAround(f Fields) error {
	for _, i := range f {
		switch i.Type {
		case ie.ActivationTime, ie.DeactivationTime, ie.MARID, ie.PacketReplicationAndDetectionCarryOnInformation,
			ie.IPMulticastAddressingInfo, ie.MPTCPApplicableIndication, ie.TransportDelayReporting, ie.UEIPAddressPoolIdentity:
			return p.Failure("IE %d of a PDR is not supported", i.Type)
		}
	}
	return nil
}

// refuse looks for what would narrow the match: a UPF that ignores it would
// forward what was not asked for.
func (p *PDRChange) refuse(f Fields) error {
	for _, i := range f {
		switch i.Type {
		case ie.EthernetPacketFilter:
			return p.Failure("Ethernet PDU sessions are not supported")
		case ie.IPMulticastAddressingInfo, ie.EthernetPDUSessionInformation, ie.RedundantTransmissionParameters,
			IEDNSQueryFilter, IEMBSSession, IEAreaSession:
			return p.Failure("IE %d of a PDI is not supported", i.Type)
		}
	}
	return nil
}

// FTEID is a local F-TEID IE (TS 29.244 clause 8.2.3): given by the CP
// function, or for the UP function to choose.
type FTEID struct {
	Given       bool // teid and addr are meant
	Choose      bool
	HasChooseID bool
	ChooseID    uint8 // PDRs of a request with the same one share the F-TEID
	TEID        uint32
	Addr        netip.Addr
	Addr6       netip.Addr
	Four, Six   bool // which addresses are given, or asked for
}

// Failing makes the error about what is decoded.
type Failing func(format string, args ...any) error

func decodeFTEID(f Fields, failure Failing) (FTEID, error) {
	i := f.Find(ie.FTEID)
	if i == nil {
		return FTEID{}, nil
	}
	v, err := i.FTEID()
	switch {
	case err != nil:
		return FTEID{}, badLength(ie.FTEID)
	case !v.HasIPv4() && !v.HasIPv6():
		return FTEID{}, failure("the F-TEID is neither an IPv4 nor an IPv6 one")
	case v.HasCh():
		return FTEID{Choose: true, HasChooseID: v.HasChID(), ChooseID: v.ChooseID, Four: v.HasIPv4(), Six: v.HasIPv6()}, nil
	case v.TEID == 0:
		return FTEID{}, failure("TEID 0 is not for a G-PDU")
	}
	t := FTEID{Given: true, TEID: v.TEID, Four: v.HasIPv4(), Six: v.HasIPv6()}
	if t.Four {
		t.Addr = netip.AddrFrom4([4]byte(v.IPv4Address))
	}
	if t.Six {
		t.Addr6 = netip.AddrFrom16([16]byte(v.IPv6Address))
	}
	return t, nil
}

// maxPredefined bounds the predefined rules that one PDR names in a message.
const maxPredefined = 256

// decodePredefined reads the names that are activated and deactivated (clauses 8.2.72 and 8.2.73).
func (p *PDRChange) decodePredefined(f Fields) error {
	for _, i := range f {
		var to *[]string
		switch i.Type {
		case ie.ActivatePredefinedRules:
			to = &p.Activate
		case ie.DeactivatePredefinedRules:
			to = &p.Deactivate
		default:
			continue
		}
		if len(i.Payload) == 0 {
			return badLength(i.Type)
		}
		if *to = append(*to, string(i.Payload)); len(*to) > maxPredefined {
			return p.Failure("it names over %d predefined rules", maxPredefined)
		}
	}
	return nil
}
