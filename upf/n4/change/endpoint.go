package change

import (
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// removeEndpoints removes traffic endpoints, and the PDRs that refer to them (table
// 7.5.4.1-1).
func removeEndpoints(c *request.Changes, r *session.Rules) error {
	for _, id := range c.RemoveEndpoint {
		if r.FindEndpoint(id) == nil {
			return request.EndpointError(id, "the session has none with this ID")
		}
		r.Endpoints = slices.DeleteFunc(r.Endpoints, func(e session.Endpoint) bool { return e.ID == id })
		r.PDRs = slices.DeleteFunc(r.PDRs, func(p session.PDR) bool { return p.PDI.Endpoint == session.EndpointKey(id) })
	}
	return nil
}

func createEndpoints(c *request.Changes, r *session.Rules, t *Claims) error {
	for i := range c.CreateEndpoint {
		e := &c.CreateEndpoint[i]
		if r.FindEndpoint(e.ID) != nil {
			return e.Failure("the session has one with this ID")
		}
		to := session.Endpoint{ID: e.ID}
		if err := t.placeEndpoint(e, &to); err != nil {
			return err
		}
		r.Endpoints = append(r.Endpoints, to)
	}
	return nil
}

// updateEndpoints changes traffic endpoints, and the PDRs that refer to them.
func updateEndpoints(c *request.Changes, r *session.Rules, t *Claims) error {
	for i := range c.UpdateEndpoint {
		e := &c.UpdateEndpoint[i]
		to := r.FindEndpoint(e.ID)
		if to == nil {
			return e.Failure("the session has none with this ID")
		}
		if err := t.placeEndpoint(e, to); err != nil {
			return err
		}
		for k := range r.PDRs {
			if p := &r.PDRs[k].PDI; p.Endpoint == session.EndpointKey(e.ID) {
				to.Fill(p)
			}
		}
	}
	return nil
}

// placeEndpoint sets what is given of an endpoint.
func (t *Claims) placeEndpoint(e *request.EndpointChange, to *session.Endpoint) error {
	if e.HasUE {
		to.UE, to.UE6, to.Framed = e.UE, e.UE6, e.Framed
	}
	if e.QFIs != 0 {
		to.QFIs = e.QFIs
	}
	return t.placePDI(choice{endpoint: session.EndpointKey(e.ID)}, &e.PDI, &to.PDI, e.Failure)
}

// createdEndpoint gives the CP function the F-TEID and the UE addresses that were chosen
// (table 7.5.3.5-1).
func (t *Claims) createdEndpoint(c choice, p *session.PDI) *ie.IE {
	return pfcp.Group(ie.CreatedTrafficEndpoint,
		append([]*ie.IE{ie.New(ie.TrafficEndpointID, []byte{uint8(c.endpoint - 1)})}, t.chosenIEs(c, p)...)...)
}
