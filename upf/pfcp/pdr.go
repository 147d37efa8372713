package pfcp

import (
	"cmp"
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// pdrChange is a Create PDR or an Update PDR (TS 29.244 tables 7.5.2.2-1 and
// 7.5.4.2-1). What is nil is not to be changed.
type pdrChange struct {
	id         uint16
	precedence *uint32
	pdi        *pdi
	removal    *bool
	removes6   bool                  // what is removed is GTP-U over IPv6
	removes    session.Encapsulation // the kind that is removed
	far        *uint32
	qers, urrs []uint32
	// Names of predefined rules.
	activate, deactivate []string
}

// pdi is a PDI whose TEID is perhaps still to be chosen.
type pdi struct {
	session.PDI
	fteid fteid
	// chooseUE asks for an IPv4 address, and for an IPv6 prefix, of the UPF's.
	chooseUE [2]bool
	filters  []uint32 // IDs of SDF filters of other PDRs
}

func decodeCreatePDR(f fields) (pdrChange, error) {
	p, err := decodeUpdatePDR(f)
	switch {
	case err != nil:
		return p, err
	case p.precedence == nil:
		return p, missing(ie.Precedence)
	case p.pdi == nil:
		return p, missing(ie.PDI)
	case p.far == nil && len(p.activate) == 0: // else a predefined rule may have one
		return p, missingConditional(ie.FARID)
	}
	return p, nil
}

func decodeUpdatePDR(f fields) (p pdrChange, err error) {
	if p.id, err = f.mustUint16(ie.PDRID); err != nil {
		return p, err
	}
	if err := cmp.Or(p.refuseAround(f), p.decodePredefined(f)); err != nil {
		return p, err
	}
	if p.precedence, err = f.mayUint32(ie.Precedence); err != nil {
		return p, err
	}
	if p.far, err = f.mayUint32(ie.FARID); err != nil {
		return p, err
	}
	if p.qers, err = f.listUint32(ie.QERID); err != nil {
		return p, err
	}
	if p.urrs, err = f.listUint32(ie.URRID); err != nil {
		return p, err
	}
	if err = p.decodeRemoval(f); err != nil {
		return p, err
	}
	if i := f.find(ie.PDI); i != nil {
		p.pdi, err = p.decodePDI(fields(i.ChildIEs))
	}
	return p, err
}

func (p *pdrChange) failure(format string, args ...any) error {
	return ruleError(session.KindPDR, uint32(p.id), format, args...)
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

func (p *pdrChange) decodeRemoval(f fields) error {
	b, found, err := f.may(ie.OuterHeaderRemoval, 1)
	if err != nil || !found {
		return err
	}
	remove := len(b) > 0
	if remove && int(b[0]) >= len(removals) {
		return p.failure("outer header removal %d is not supported, 0 to %d are", b[0], len(removals)-1)
	}
	if remove {
		p.removes6, p.removes = b[0] == removeGTPUv6, removals[b[0]]
	}
	p.removal = &remove
	return nil
}

func (p *pdrChange) decodePDI(f fields) (*pdi, error) {
	d := &pdi{}
	source, err := f.must(ie.SourceInterface, 1)
	if err != nil {
		return nil, err
	}
	if d.Source, err = interfaceOf(source[0]); err != nil {
		return nil, p.failure("source %v", err)
	}
	if err := p.refuse(f); err != nil {
		return nil, err
	}
	if d.fteid, err = decodeFTEID(f, p.failure); err != nil {
		return nil, err
	}
	if err = p.decodeReference(d, f); err != nil {
		return nil, err
	}
	if d.Source == session.CPFunction {
		if !d.fteid.given && !d.fteid.choose && d.Endpoint == 0 {
			return nil, p.failure("a PDI for the CP function needs a local F-TEID")
		}
		d.Source = session.Core
	}
	if err = decodeUE(d, f, p.failure); err != nil {
		return nil, err
	}
	if d.Framed, err = decodeFramed(f, p.failure); err != nil {
		return nil, err
	}
	if d.QFIs, err = decodeQFIs(f, p.failure); err != nil {
		return nil, err
	}
	if err := p.decodeApplication(d, f); err != nil {
		return nil, err
	}
	return d, p.decodeFilters(d, f)
}

func decodeQFIs(f fields, failure failing) (set session.QFISet, err error) {
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
func (p *pdrChange) decodeApplication(d *pdi, f fields) error {
	id, found, err := f.may(ie.ApplicationID, 1)
	switch {
	case err != nil:
		return err
	case found && f.find(ie.SDFFilter) != nil:
		return p.failure("a PDI has SDF filters or an Application ID, not both")
	}
	d.Application = string(id)
	return nil
}

func (p *pdrChange) decodeFilters(d *pdi, f fields) error {
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
func (p *pdrChange) refuseAround(f fields) error {
	for _, i := range f {
		switch i.Type {
		case ie.ActivationTime, ie.DeactivationTime, ie.MARID, ie.PacketReplicationAndDetectionCarryOnInformation,
			ie.IPMulticastAddressingInfo, ie.MPTCPApplicableIndication, ie.TransportDelayReporting, ie.UEIPAddressPoolIdentity:
			return p.failure("IE %d of a PDR is not supported", i.Type)
		}
	}
	return nil
}

// refuse looks for what would narrow the match: a UPF that ignores it would
// forward what was not asked for.
func (p *pdrChange) refuse(f fields) error {
	for _, i := range f {
		switch i.Type {
		case ie.EthernetPacketFilter:
			return p.failure("Ethernet PDU sessions are not supported")
		case ie.IPMulticastAddressingInfo, ie.EthernetPDUSessionInformation, ie.RedundantTransmissionParameters,
			ieDNSQueryFilter, ieMBSSession, ieAreaSession:
			return p.failure("IE %d of a PDI is not supported", i.Type)
		}
	}
	return nil
}

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

// chosenPDR is the IE that gives the CP function the F-TEID and the UE addresses that were
// chosen: Created PDR (table 7.5.3.2-1), or Updated PDR (table 7.5.5.5-1).
func (t *tunnels) chosenPDR(c choice, p *session.PDI) *ie.IE {
	typ := ie.UpdatedPDR
	if t.creates(c.pdr) {
		typ = ie.CreatedPDR
	}
	return pfcp.Group(typ, append([]*ie.IE{ie.NewPDRID(c.pdr)}, t.chosenIEs(c, p)...)...)
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
