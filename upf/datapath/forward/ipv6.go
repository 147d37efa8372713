package forward

import (
	"encoding/binary"

	"github.com/upflab/upflab/upf/datapath"
)

// ip6Bytes is the length of an IPv6 header.
const ip6Bytes = 40

// total6Bytes is the length that an IPv6 header gives.
func total6Bytes(ip []byte) int { return ip6Bytes + int(binary.BigEndian.Uint16(ip[4:])) }

// fits6 reports whether the length in an IPv6 header is possible, within what there is.
func fits6(ip []byte) bool { return len(ip) >= ip6Bytes && total6Bytes(ip) <= len(ip) }

func isIPv6(ip []byte) bool { return ip[0]>>4 == 6 }

// isLocal6 reports whether an IPv6 packet must not be routed: its addresses are those of
// one link, or it goes to many (RFC 4291 clauses 2.5.6 and 2.7).
func isLocal6(ip []byte) bool {
	return linkLocal(ip[8:]) || linkLocal(ip[24:]) || ip[24] == 0xff || [16]byte(ip[8:24]) == [16]byte{}
}

func linkLocal(address []byte) bool { return address[0] == 0xfe && address[1]&0xc0 == 0x80 }

// Extension headers of IPv6 (RFC 8200 clause 4), as far as they are walked.
const (
	headerHopByHop    = 0
	headerRouting     = 43
	headerFragment    = 44
	headerDestination = 60
	headerMobility    = 135
	// headersMax is how many are walked: as many as the XDP programs do.
	headersMax = 6
)

// upper is where the upper layer's header of an IPv6 packet is.
type upper struct {
	protocol uint8
	at       int
	// whole is false where there is none: in a fragment after the first, or where the
	// extension headers are cut or too many. protocol is then what came last.
	whole bool
	// endless: there are too many extension headers to see what is behind them.
	endless bool
}

func isExtension(protocol uint8) bool {
	switch protocol {
	case headerHopByHop, headerRouting, headerFragment, headerDestination, headerMobility:
		return true
	}
	return false
}

// upperOf walks the extension headers of an IPv6 packet that was cut to its length.
func upperOf(ip []byte) (u upper) {
	u.protocol, u.at = ip[6], ip6Bytes
	for range headersMax {
		if !isExtension(u.protocol) {
			u.whole = true
			return u
		}
		if len(ip) < u.at+8 {
			return u
		}
		h := ip[u.at:]
		length := 8 + int(h[1])*8
		if u.protocol == headerFragment {
			length = 8
			if binary.BigEndian.Uint16(h[2:])>>3 != 0 {
				u.protocol = h[0]
				return u
			}
		}
		u.protocol = h[0]
		u.at += length
	}
	u.endless = isExtension(u.protocol)
	u.whole = !u.endless
	return u
}

// inner6 is an IPv6 T-PDU, cut to its length.
func inner6(ip []byte) ([]byte, Verdict) {
	if !fits6(ip) {
		return nil, Drop(datapath.ReasonMalformedInner)
	}
	return ip[:total6Bytes(ip)], Forward
}

// nested6 reports whether an IPv6 T-PDU is GTP-U itself, or may be.
func nested6(ip []byte) Verdict {
	u := upperOf(ip)
	switch {
	case u.endless:
		return Drop(datapath.ReasonMalformedInner)
	case u.whole && isNested(u.protocol, ip[min(u.at, len(ip)):]):
		return Drop(datapath.ReasonNested)
	}
	return Forward
}
