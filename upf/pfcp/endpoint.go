package pfcp

import (
	"fmt"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// endpointChange is a Create or an Update Traffic Endpoint (TS 29.244 tables 7.5.2.7-1 and
// 7.5.4.13-1). What is not given is not to be changed.
type endpointChange struct {
	id uint8
	pdi
	hasUE bool
}

func decodeEndpoint(f fields) (e endpointChange, err error) {
	if e.id, err = f.mustEndpoint(); err != nil {
		return e, err
	}
	for _, i := range f {
		switch i.Type {
		case ie.IPMulticastAddressingInfo, ie.EthernetPDUSessionInformation, ie.RedundantTransmissionParameters:
			return e, e.failure("IE %d of a traffic endpoint is not supported", i.Type)
		}
	}
	if e.fteid, err = decodeFTEID(f, e.failure); err != nil {
		return e, err
	}
	e.hasUE = f.find(ie.UEIPAddress) != nil
	if err = decodeUE(&e.pdi, f, e.failure); err != nil {
		return e, err
	}
	if e.Framed, err = decodeFramed(f, e.failure); err != nil {
		return e, err
	}
	e.QFIs, err = decodeQFIs(f, e.failure)
	return e, err
}

// mustEndpoint reads the mandatory Traffic Endpoint ID.
func (f fields) mustEndpoint() (uint8, error) {
	b, err := f.must(ie.TrafficEndpointID, 1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// failure is about the endpoint, for which there is no kind of rule in a Failed Rule ID
// (clause 8.2.80).
func (e *endpointChange) failure(format string, args ...any) error {
	return endpointError(e.id, format, args...)
}

func endpointError(id uint8, format string, args ...any) error {
	return &rejection{
		cause: ie.CauseRuleCreationModificationFailure, offending: ie.TrafficEndpointID,
		reason: fmt.Sprintf("traffic endpoint %d: ", id) + fmt.Sprintf(format, args...),
	}
}

// decodeReference reads the traffic endpoint that a PDI refers to, in the place of what is in
// that.
func (p *pdrChange) decodeReference(d *pdi, f fields) error {
	if f.find(ie.TrafficEndpointID) == nil {
		return nil
	}
	id, err := f.mustEndpoint()
	if err != nil {
		return err
	}
	for n, i := range f {
		switch {
		case i.Type == ie.FTEID, i.Type == ie.UEIPAddress:
			return p.failure("a PDI with a Traffic Endpoint ID has IE %d in the endpoint", i.Type)
		case i.Type == ie.TrafficEndpointID && slices.ContainsFunc(f[:n], func(o *ie.IE) bool { return o.Type == ie.TrafficEndpointID }):
			return p.failure("several traffic endpoints in a PDI are not supported")
		}
	}
	d.Endpoint = session.EndpointKey(id)
	return nil
}

// removeEndpoints removes traffic endpoints, and the PDRs that refer to them (table
// 7.5.4.1-1).
func (c *changes) removeEndpoints(r *session.Rules) error {
	for _, id := range c.removeEndpoint {
		if r.FindEndpoint(id) == nil {
			return endpointError(id, "the session has none with this ID")
		}
		r.Endpoints = slices.DeleteFunc(r.Endpoints, func(e session.Endpoint) bool { return e.ID == id })
		r.PDRs = slices.DeleteFunc(r.PDRs, func(p session.PDR) bool { return p.PDI.Endpoint == session.EndpointKey(id) })
	}
	return nil
}

func (c *changes) createEndpoints(r *session.Rules, t *tunnels) error {
	for i := range c.createEndpoint {
		e := &c.createEndpoint[i]
		if r.FindEndpoint(e.id) != nil {
			return e.failure("the session has one with this ID")
		}
		to := session.Endpoint{ID: e.id}
		if err := t.placeEndpoint(e, &to); err != nil {
			return err
		}
		r.Endpoints = append(r.Endpoints, to)
	}
	return nil
}

// updateEndpoints changes traffic endpoints, and the PDRs that refer to them.
func (c *changes) updateEndpoints(r *session.Rules, t *tunnels) error {
	for i := range c.updateEndpoint {
		e := &c.updateEndpoint[i]
		to := r.FindEndpoint(e.id)
		if to == nil {
			return e.failure("the session has none with this ID")
		}
		if err := t.placeEndpoint(e, to); err != nil {
			return err
		}
		for k := range r.PDRs {
			if p := &r.PDRs[k].PDI; p.Endpoint == session.EndpointKey(e.id) {
				to.Fill(p)
			}
		}
	}
	return nil
}

// placeEndpoint sets what is given of an endpoint.
func (t *tunnels) placeEndpoint(e *endpointChange, to *session.Endpoint) error {
	old := to.PDI
	if e.hasUE {
		to.UE, to.UE6, to.Framed = e.UE, e.UE6, e.Framed
	}
	if e.QFIs != 0 {
		to.QFIs = e.QFIs
	}
	return t.placePDI(choice{endpoint: session.EndpointKey(e.id)}, &e.pdi, old, &to.PDI, e.failure)
}

// createdEndpoint gives the CP function the F-TEID and the UE addresses that were chosen
// (table 7.5.3.5-1).
func (t *tunnels) createdEndpoint(c choice, p *session.PDI) *ie.IE {
	return group(ie.CreatedTrafficEndpoint, append([]*ie.IE{ie.New(ie.TrafficEndpointID, []byte{uint8(c.endpoint - 1)})}, t.chosenIEs(c, p)...)...)
}
