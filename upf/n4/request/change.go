package request

import (
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
)

// Changes are what a request asks of the rules of one session.
type Changes struct {
	CreatePDR, UpdatePDR []PDRChange
	CreateFAR, UpdateFAR []FARChange
	CreateQER, UpdateQER []QERChange
	RemovePDR            []uint16
	RemoveFAR, RemoveQER []uint32
	CreateURR, UpdateURR []URRChange
	RemoveURR, QueryURR  []uint32
	QueryAll             bool
	QueryReference       *ie.IE // of the reports that the queries cause; nil: none
	CreateBAR, UpdateBAR []BARChange
	RemoveBAR            []uint32
	CreateEndpoint       []EndpointChange
	UpdateEndpoint       []EndpointChange
	RemoveEndpoint       []uint8
	DropHeld             bool // DROBU
	Inactivity           *time.Duration
	References           []reference
}

func DecodeChanges(f Fields) (*Changes, error) {
	c := &Changes{}
	for _, i := range f {
		if err := c.decode(i.Type, Fields(i.ChildIEs)); err != nil {
			return nil, err
		}
	}
	var err error
	if c.Inactivity, err = inactivityOf(f); err != nil {
		return nil, err
	}
	c.refer(c.CreatePDR)
	c.refer(c.UpdatePDR)
	return c, nil
}

// refer notes the SDF filters that are given by ID.
func (c *Changes) refer(list []PDRChange) {
	for i := range list {
		p := &list[i]
		if p.PDI == nil {
			continue
		}
		for _, id := range p.PDI.filters {
			c.References = append(c.References, reference{p.ID, id})
		}
	}
}

func (c *Changes) decode(typ uint16, f Fields) (err error) {
	switch typ {
	case ie.CreatePDR:
		c.CreatePDR, err = with(c.CreatePDR, f, decodeCreatePDR)
	case ie.UpdatePDR:
		c.UpdatePDR, err = with(c.UpdatePDR, f, DecodeUpdatePDR)
	case ie.RemovePDR:
		c.RemovePDR, err = with(c.RemovePDR, f, func(f Fields) (uint16, error) { return f.mustUint16(ie.PDRID) })
	case ie.CreateFAR:
		c.CreateFAR, err = with(c.CreateFAR, f, DecodeCreateFAR)
	case ie.UpdateFAR:
		c.UpdateFAR, err = with(c.UpdateFAR, f, DecodeUpdateFAR)
	case ie.RemoveFAR:
		c.RemoveFAR, err = with(c.RemoveFAR, f, func(f Fields) (uint32, error) { return f.mustUint32(ie.FARID) })
	case ie.CreateQER:
		c.CreateQER, err = with(c.CreateQER, f, decodeCreateQER)
	case ie.UpdateQER:
		c.UpdateQER, err = with(c.UpdateQER, f, DecodeUpdateQER)
	case ie.RemoveQER:
		c.RemoveQER, err = with(c.RemoveQER, f, func(f Fields) (uint32, error) { return f.mustUint32(ie.QERID) })
	case ie.CreateURR:
		c.CreateURR, err = with(c.CreateURR, f, decodeCreateURR)
	case ie.UpdateURR:
		c.UpdateURR, err = with(c.UpdateURR, f, DecodeUpdateURR)
	case ie.RemoveURR:
		c.RemoveURR, err = with(c.RemoveURR, f, func(f Fields) (uint32, error) { return f.mustUint32(ie.URRID) })
	case ie.QueryURR:
		c.QueryURR, err = with(c.QueryURR, f, func(f Fields) (uint32, error) { return f.mustUint32(ie.URRID) })
	case ie.CreateBAR:
		c.CreateBAR, err = with(c.CreateBAR, f, decodeBAR)
	case ie.UpdateBARWithinSessionModificationRequest:
		c.UpdateBAR, err = with(c.UpdateBAR, f, decodeBAR)
	case ie.RemoveBAR:
		c.RemoveBAR, err = with(c.RemoveBAR, f, Fields.mustBAR)
	case ie.CreateTrafficEndpoint:
		c.CreateEndpoint, err = with(c.CreateEndpoint, f, decodeEndpoint)
	case ie.UpdateTrafficEndpoint:
		c.UpdateEndpoint, err = with(c.UpdateEndpoint, f, decodeEndpoint)
	case ie.RemoveTrafficEndpoint:
		c.RemoveEndpoint, err = with(c.RemoveEndpoint, f, Fields.mustEndpoint)
	case ie.CreateMAR, ie.UpdateMAR, ie.CreateBridgeInfoForTSC,
		ie.CreateSRR, ie.UpdateSRR, ie.ProvideATSSSControlInformation, ie.ProvideRDSConfigurationInformation, ie.MTEDTControlInformation,
		ie.RemoveMAR, ie.RemoveSRR, ie.EthernetContextInformation, ie.TSCManagementInformationWithinSessionModificationRequest,
		ie.AccessAvailabilityInformation, ie.QueryPacketRateStatusWithinSessionModificationRequest,
		IEL2TPTunnel, IEL2TPSession, IEMBSN4mbControl, IEMBSN4Control, IEDSCPToPPI:
		err = &Rejection{Cause: ie.CauseServiceNotSupported, Offending: typ}
	}
	return err
}

// ChangesKeys reports whether TEIDs and UE addresses may change.
func (c *Changes) ChangesKeys() bool {
	return len(c.CreatePDR)+len(c.UpdatePDR)+len(c.RemovePDR)+len(c.CreateEndpoint)+len(c.UpdateEndpoint)+len(c.RemoveEndpoint) > 0
}

// KeepsPackets reports whether the request leaves PDRs, and what counts their packets, as they are, but for removing some.
func (c *Changes) KeepsPackets() bool {
	return len(c.CreatePDR)+len(c.UpdatePDR)+len(c.UpdateEndpoint)+len(c.CreateURR) == 0
}

// CreatesPDR reports whether the request creates a PDR with the ID.
func (c *Changes) CreatesPDR(id uint16) bool {
	return slices.ContainsFunc(c.CreatePDR, func(p PDRChange) bool { return p.ID == id })
}

// createsURR reports whether the request creates a URR with the ID.
func (c *Changes) createsURR(id uint32) bool {
	return slices.ContainsFunc(c.CreateURR, func(u URRChange) bool { return u.ID == id })
}

// Ends reports whether the request leaves no URR with the ID: it removes it and creates no other in its place.
func (c *Changes) Ends(urr uint32) bool {
	return slices.Contains(c.RemoveURR, urr) && !c.createsURR(urr)
}

// Queries reports whether the request asks for a URR's usage.
func (c *Changes) Queries(id uint32) bool { return c.QueryAll || slices.Contains(c.QueryURR, id) }

func with[T any](list []T, f Fields, decode func(Fields) (T, error)) ([]T, error) {
	v, err := decode(f)
	if err != nil {
		return nil, err
	}
	return append(list, v), nil
}
