package pfcp

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
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
func removeEndpoints(c *changes, r *session.Rules) error {
	for _, id := range c.removeEndpoint {
		if r.FindEndpoint(id) == nil {
			return endpointError(id, "the session has none with this ID")
		}
		r.Endpoints = slices.DeleteFunc(r.Endpoints, func(e session.Endpoint) bool { return e.ID == id })
		r.PDRs = slices.DeleteFunc(r.PDRs, func(p session.PDR) bool { return p.PDI.Endpoint == session.EndpointKey(id) })
	}
	return nil
}

func createEndpoints(c *changes, r *session.Rules, t *tunnels) error {
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
func updateEndpoints(c *changes, r *session.Rules, t *tunnels) error {
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
	if e.hasUE {
		to.UE, to.UE6, to.Framed = e.UE, e.UE6, e.Framed
	}
	if e.QFIs != 0 {
		to.QFIs = e.QFIs
	}
	return t.placePDI(choice{endpoint: session.EndpointKey(e.id)}, &e.pdi, &to.PDI, e.failure)
}

// createdEndpoint gives the CP function the F-TEID and the UE addresses that were chosen
// (table 7.5.3.5-1).
func (t *tunnels) createdEndpoint(c choice, p *session.PDI) *ie.IE {
	return pfcp.Group(ie.CreatedTrafficEndpoint,
		append([]*ie.IE{ie.New(ie.TrafficEndpointID, []byte{uint8(c.endpoint - 1)})}, t.chosenIEs(c, p)...)...)
}

// maxFramed is how many framed routes a PDI may have: each is a match of its own.
const maxFramed = 16

// decodeFramed reads Framed-Route and Framed-IPv6-Route (TS 29.244 clauses 8.2.109 and 8.2.111):
// of the text of RFC 2865 clause 5.22, and RFC 3162 clause 2.5, the prefix; gateway and metrics
// say nothing to a UPF.
func decodeFramed(f fields, failure failing) (list []netip.Prefix, err error) {
	for _, i := range f {
		if i.Type != ie.FramedRoute && i.Type != ie.FramedIPv6Route {
			continue
		}
		text, _, _ := strings.Cut(strings.TrimSpace(string(i.Payload)), " ")
		p, err := prefixOfRoute(text)
		switch {
		case len(i.Payload) == 0:
			return nil, badLength(i.Type)
		case err != nil, p.Addr().Is6() != (i.Type == ie.FramedIPv6Route):
			return nil, failure("framed route %q: its first word is to be a prefix, as 192.0.2.0/24", i.Payload)
		}
		list = append(list, p.Masked())
	}
	if len(list) > maxFramed {
		return nil, failure("%d framed routes: %d are the most", len(list), maxFramed)
	}
	return list, nil
}

// prefixOfRoute reads a prefix. Without a length an IPv4 address is of its class (RFC 2865 clause
// 5.22), and an IPv6 one stands for itself.
func prefixOfRoute(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		return netip.ParsePrefix(text)
	}
	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is4() {
		return netip.PrefixFrom(a, a.BitLen()), err
	}
	bits := 24
	switch first := a.As4()[0]; {
	case first < 128:
		bits = 8
	case first < 192:
		bits = 16
	}
	return netip.PrefixFrom(a, bits), nil
}

// Flags of a UE IP Address IE (TS 29.244 clause 8.2.62).
const (
	ueV6    = 1 << 0
	ueV4    = 1 << 1
	ueIPv6D = 1 << 3 // how many bits the prefix is shorter than 64
	ueCHV4  = 1 << 4
	ueCHV6  = 1 << 5
	ueIP6PL = 1 << 6 // the length of the prefix
)

// decodeUE reads the UE IP Address IE: an IPv4 address, an IPv6 prefix, or both. A prefix
// has 64 bits where its length is not given.
func decodeUE(d *pdi, f fields, failure failing) error {
	i := f.find(ie.UEIPAddress)
	if i == nil {
		return nil
	}
	r := reader{i.Payload}
	flags := r.octet()
	d.chooseUE = [2]bool{flags&ueCHV4 != 0, flags&ueCHV6 != 0}
	var four, six []byte
	if flags&ueV4 != 0 && !d.chooseUE[0] {
		four = r.take(4)
	}
	if flags&ueV6 != 0 && !d.chooseUE[1] {
		six = r.take(16)
	}
	bits := 64
	if flags&ueIPv6D != 0 {
		bits -= int(r.octet())
	}
	if flags&ueIP6PL != 0 {
		bits = int(r.octet())
	}
	switch {
	case r.rest == nil:
		return badLength(ie.UEIPAddress)
	case flags&(ueV4|ueV6|ueCHV4|ueCHV6) == 0:
		return failure("a UE IP Address with neither an IPv4 nor an IPv6 address")
	case bits < 0 || bits > 128:
		return failure("the UE's prefix has %d bits", bits)
	}
	if four != nil {
		d.UE = netip.AddrFrom4([4]byte(four))
	}
	if six != nil {
		d.UE6 = netip.PrefixFrom(netip.AddrFrom16([16]byte(six)), bits).Masked()
	}
	return nil
}

// reader takes an IE's octets off one after the other; rest is nil once there were not
// enough.
type reader struct{ rest []byte }

func (r *reader) take(n int) []byte {
	if r.rest == nil || len(r.rest) < n {
		r.rest = nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:len(r.rest):len(r.rest)]
	return b
}

func (r *reader) octet() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}
