package pfcp

import (
	"github.com/wmnsk/go-pfcp/ie"
)

// changes are what a request asks of the rules of one session.
type changes struct {
	createPDR, updatePDR []pdrChange
	createFAR, updateFAR []farChange
	createQER, updateQER []qerChange
	removePDR            []uint16
	removeFAR, removeQER []uint32
	references           []reference
}

func decodeChanges(f fields) (*changes, error) {
	c := &changes{}
	for _, i := range f {
		if err := c.decode(i.Type, fields(i.ChildIEs)); err != nil {
			return nil, err
		}
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
	case ie.CreateTrafficEndpoint, ie.UpdateTrafficEndpoint, ie.CreateMAR, ie.UpdateMAR, ie.CreateBridgeInfoForTSC:
		err = &rejection{cause: ie.CauseServiceNotSupported, offending: typ}
	}
	return err
}

func with[T any](list []T, f fields, decode func(fields) (T, error)) ([]T, error) {
	v, err := decode(f)
	if err != nil {
		return nil, err
	}
	return append(list, v), nil
}
