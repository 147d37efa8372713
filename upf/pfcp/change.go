package pfcp

import (
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
)

// changes are what a request asks of the rules of one session.
type changes struct {
	createPDR, updatePDR []pdrChange
	createFAR, updateFAR []farChange
	createQER, updateQER []qerChange
	removePDR            []uint16
	removeFAR, removeQER []uint32
	createURR, updateURR []urrChange
	removeURR, queryURR  []uint32
	queryAll             bool
	queryReference       *ie.IE // of the reports that the queries cause; nil: none
	createBAR, updateBAR []barChange
	removeBAR            []uint32
	createEndpoint       []endpointChange
	updateEndpoint       []endpointChange
	removeEndpoint       []uint8
	dropHeld             bool // DROBU
	inactivity           *time.Duration
	references           []reference
}

func decodeChanges(f fields) (*changes, error) {
	c := &changes{}
	for _, i := range f {
		if err := c.decode(i.Type, fields(i.ChildIEs)); err != nil {
			return nil, err
		}
	}
	var err error
	if c.inactivity, err = inactivityOf(f); err != nil {
		return nil, err
	}
	c.refer(c.createPDR)
	c.refer(c.updatePDR)
	return c, nil
}

// refer notes the SDF filters that are given by ID.
func (c *changes) refer(list []pdrChange) {
	for i := range list {
		p := &list[i]
		if p.pdi == nil {
			continue
		}
		for _, id := range p.pdi.filters {
			c.references = append(c.references, reference{p.id, id})
		}
	}
}

func (c *changes) decode(typ uint16, f fields) (err error) {
	switch typ {
	case ie.CreatePDR:
		c.createPDR, err = with(c.createPDR, f, decodeCreatePDR)
	case ie.UpdatePDR:
		c.updatePDR, err = with(c.updatePDR, f, decodeUpdatePDR)
	case ie.RemovePDR:
		c.removePDR, err = with(c.removePDR, f, func(f fields) (uint16, error) { return f.mustUint16(ie.PDRID) })
	case ie.CreateFAR:
		c.createFAR, err = with(c.createFAR, f, decodeCreateFAR)
	case ie.UpdateFAR:
		c.updateFAR, err = with(c.updateFAR, f, decodeUpdateFAR)
	case ie.RemoveFAR:
		c.removeFAR, err = with(c.removeFAR, f, func(f fields) (uint32, error) { return f.mustUint32(ie.FARID) })
	case ie.CreateQER:
		c.createQER, err = with(c.createQER, f, decodeCreateQER)
	case ie.UpdateQER:
		c.updateQER, err = with(c.updateQER, f, decodeUpdateQER)
	case ie.RemoveQER:
		c.removeQER, err = with(c.removeQER, f, func(f fields) (uint32, error) { return f.mustUint32(ie.QERID) })
	case ie.CreateURR:
		c.createURR, err = with(c.createURR, f, decodeCreateURR)
	case ie.UpdateURR:
		c.updateURR, err = with(c.updateURR, f, decodeUpdateURR)
	case ie.RemoveURR:
		c.removeURR, err = with(c.removeURR, f, func(f fields) (uint32, error) { return f.mustUint32(ie.URRID) })
	case ie.QueryURR:
		c.queryURR, err = with(c.queryURR, f, func(f fields) (uint32, error) { return f.mustUint32(ie.URRID) })
	case ie.CreateBAR:
		c.createBAR, err = with(c.createBAR, f, decodeBAR)
	case ie.UpdateBARWithinSessionModificationRequest:
		c.updateBAR, err = with(c.updateBAR, f, decodeBAR)
	case ie.RemoveBAR:
		c.removeBAR, err = with(c.removeBAR, f, fields.mustBAR)
	case ie.CreateTrafficEndpoint:
		c.createEndpoint, err = with(c.createEndpoint, f, decodeEndpoint)
	case ie.UpdateTrafficEndpoint:
		c.updateEndpoint, err = with(c.updateEndpoint, f, decodeEndpoint)
	case ie.RemoveTrafficEndpoint:
		c.removeEndpoint, err = with(c.removeEndpoint, f, fields.mustEndpoint)
	case ie.CreateMAR, ie.UpdateMAR, ie.CreateBridgeInfoForTSC,
		ie.CreateSRR, ie.UpdateSRR, ie.ProvideATSSSControlInformation, ie.ProvideRDSConfigurationInformation, ie.MTEDTControlInformation,
		ie.RemoveMAR, ie.RemoveSRR, ie.EthernetContextInformation, ie.TSCManagementInformationWithinSessionModificationRequest,
		ie.AccessAvailabilityInformation, ie.QueryPacketRateStatusWithinSessionModificationRequest,
		ieL2TPTunnel, ieL2TPSession, ieMBSN4mbControl, ieMBSN4Control, ieDSCPToPPI:
		err = &rejection{cause: ie.CauseServiceNotSupported, offending: typ}
	}
	return err
}

// changesKeys reports whether TEIDs and UE addresses may change.
func (c *changes) changesKeys() bool {
	return len(c.createPDR)+len(c.updatePDR)+len(c.removePDR)+len(c.createEndpoint)+len(c.updateEndpoint)+len(c.removeEndpoint) > 0
}

// keepsPackets reports whether the request leaves PDRs, and what counts their packets, as they are, but for removing some.
func (c *changes) keepsPackets() bool {
	return len(c.createPDR)+len(c.updatePDR)+len(c.updateEndpoint)+len(c.createURR) == 0
}

// createsPDR reports whether the request creates a PDR with the ID.
func (c *changes) createsPDR(id uint16) bool {
	return slices.ContainsFunc(c.createPDR, func(p pdrChange) bool { return p.id == id })
}

// createsURR reports whether the request creates a URR with the ID.
func (c *changes) createsURR(id uint32) bool {
	return slices.ContainsFunc(c.createURR, func(u urrChange) bool { return u.id == id })
}

// ends reports whether the request leaves no URR with the ID: it removes it and creates no other in its place.
func (c *changes) ends(urr uint32) bool {
	return slices.Contains(c.removeURR, urr) && !c.createsURR(urr)
}

// queries reports whether the request asks for a URR's usage.
func (c *changes) queries(id uint32) bool { return c.queryAll || slices.Contains(c.queryURR, id) }

func with[T any](list []T, f fields, decode func(fields) (T, error)) ([]T, error) {
	v, err := decode(f)
	if err != nil {
		return nil, err
	}
	return append(list, v), nil
}
