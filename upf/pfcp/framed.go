package pfcp

import (
	"net/netip"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"
)

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
