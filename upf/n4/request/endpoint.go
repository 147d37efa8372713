package request

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// EndpointChange is a Create or an Update Traffic Endpoint (TS 29.244 tables 7.5.2.7-1 and
// 7.5.4.13-1). What is not given is not to be changed.
type EndpointChange struct {
	ID uint8
	PDI
	HasUE bool
}

func decodeEndpoint(f Fields) (e EndpointChange, err error) {
	if e.ID, err = f.mustEndpoint(); err != nil {
		return e, err
	}
	for _, i := range f {
		switch i.Type {
		case ie.IPMulticastAddressingInfo, ie.EthernetPDUSessionInformation, ie.RedundantTransmissionParameters:
			return e, e.Failure("IE %d of a traffic endpoint is not supported", i.Type)
		}
	}
	if e.FTEID, err = decodeFTEID(f, e.Failure); err != nil {
		return e, err
	}
	e.HasUE = f.Find(ie.UEIPAddress) != nil
	if err = decodeUE(&e.PDI, f, e.Failure); err != nil {
		return e, err
	}
	if e.Framed, err = decodeFramed(f, e.Failure); err != nil {
		return e, err
	}
	e.QFIs, err = decodeQFIs(f, e.Failure)
	return e, err
}

// mustEndpoint reads the mandatory Traffic Endpoint ID.
func (f Fields) mustEndpoint() (uint8, error) {
	b, err := f.must(ie.TrafficEndpointID, 1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// Failure is about the endpoint, for which there is no kind of rule in a Failed Rule ID
// (clause 8.2.80).
func (e *EndpointChange) Failure(format string, args ...any) error {
	return EndpointError(e.ID, format, args...)
}

func EndpointError(id uint8, format string, args ...any) error {
	return &Rejection{
		Cause: ie.CauseRuleCreationModificationFailure, Offending: ie.TrafficEndpointID,
		Reason: fmt.Sprintf("traffic endpoint %d: ", id) + fmt.Sprintf(format, args...),
	}
}

// decodeReference reads the traffic endpoint that a PDI refers to, in the place of what is in
// that.
func (p *PDRChange) decodeReference(d *PDI, f Fields) error {
	if f.Find(ie.TrafficEndpointID) == nil {
		return nil
	}
	id, err := f.mustEndpoint()
	if err != nil {
		return err
	}
	for n, i := range f {
		switch {
		case i.Type == ie.FTEID, i.Type == ie.UEIPAddress:
			return p.Failure("a PDI with a Traffic Endpoint ID has IE %d in the endpoint", i.Type)
		case i.Type == ie.TrafficEndpointID && slices.ContainsFunc(f[:n], func(o *ie.IE) bool { return o.Type == ie.TrafficEndpointID }):
			return p.Failure("several traffic endpoints in a PDI are not supported")
		}
	}
	d.Endpoint = session.EndpointKey(id)
	return nil
}

// maxFramed is how many framed routes a PDI may have: each is a match of its own.
const maxFramed = 16

// decodeFramed reads Framed-Route and Framed-IPv6-Route (TS 29.244 clauses 8.2.109 and 8.2.111):
// of the text of RFC 2865 clause 5.22, and RFC 3162 clause 2.5, the prefix; gateway and metrics
// say nothing to a UPF.
func decodeFramed(f Fields, failure Failing) (list []netip.Prefix, err error) {
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
	UEV6    = 1 << 0
	UEV4    = 1 << 1
	ueIPv6D = 1 << 3 // how many bits the prefix is shorter than 64
	ueCHV4  = 1 << 4
	ueCHV6  = 1 << 5
	ueIP6PL = 1 << 6 // the length of the prefix
)

// decodeUE reads the UE IP Address IE: an IPv4 address, an IPv6 prefix, or both. A prefix
// has 64 bits where its length is not given.
func decodeUE(d *PDI, f Fields, failure Failing) error {
	i := f.Find(ie.UEIPAddress)
	if i == nil {
		return nil
	}
	r := reader{i.Payload}
	flags := r.octet()
	d.ChooseUE = [2]bool{flags&ueCHV4 != 0, flags&ueCHV6 != 0}
	var four, six []byte
	if flags&UEV4 != 0 && !d.ChooseUE[0] {
		four = r.take(4)
	}
	if flags&UEV6 != 0 && !d.ChooseUE[1] {
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
	case flags&(UEV4|UEV6|ueCHV4|ueCHV6) == 0:
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
