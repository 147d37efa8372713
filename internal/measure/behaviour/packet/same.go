package packet

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// What differs of a T-PDU.
const (
	DiffersInLength   = "inner-length"
	DiffersInChecksum = "inner-checksum" // of the IPv4 header
)

// Difference says in what a T-PDU that arrived differs from the one that was sent, in a word that is
// the same for all packets of a fault and in a sentence; "" when it does not. A router may have taken
// from its TTL. The identification of a packet with DF that is no fragment means nothing (RFC 6864 clause 4.1).
func Difference(sent, got []byte) (what, why string) {
	switch {
	case len(got) != len(sent):
		return DiffersInLength, fmt.Sprintf("%d octets of inner packet in place of %d", len(got), len(sent))
	case len(sent) < 20:
		return "", ""
	}
	if sent[0]>>4 == 6 {
		return difference(sent, got, 7)
	}
	if checksum.Fold(checksum.Sum(got[:int(sent[0]&0xf)*4])) != 0xffff {
		return DiffersInChecksum, "the inner IPv4 header checksum is wrong"
	}
	if sent[6]&0x7f == 0x40 && sent[7] == 0 { // DF, and no more fragments, and no offset
		return difference(sent, got, 4, 5, 8, 10, 11)
	}
	return difference(sent, got, 8, 10, 11)
}

// difference compares all but some octets.
func difference(sent, got []byte, but ...int) (what, why string) {
	a, b := bytes.Clone(sent), bytes.Clone(got)
	for _, i := range but {
		a[i], b[i] = 0, 0
	}
	for i := range a {
		if a[i] != b[i] {
			what := differsAt(sent[0]>>4, i)
			return what, fmt.Sprintf("octet %d of the inner packet (%s) is %#02x in place of %#02x", i, fieldName(what), b[i], a[i])
		}
	}
	return "", ""
}

// Fields of the IP header, that a difference is named by: one fault of a field is one symptom, whichever of its octets
// differs first.
type field struct {
	end  int // the octet behind it
	name string
}

var (
	fields4 = []field{{1, "version"}, {2, "tos"}, {4, "total-length"}, {6, "identification"}, {8, "flags"}, {9, "ttl"},
		{10, "protocol"}, {12, "header-checksum"}, {16, "source"}, {20, "destination"}}
	fields6 = []field{{4, "traffic-class"}, {6, "payload-length"}, {7, "next-header"}, {8, "hop-limit"},
		{24, "source"}, {40, "destination"}}
)

const differs = "inner-"

// differsAt names the field that an octet is in, and all behind the header by one word.
func differsAt(version byte, octet int) string {
	fields := fields4
	if version == 6 {
		fields = fields6
	}
	for _, f := range fields {
		if octet < f.end {
			return differs + f.name
		}
	}
	return differs + "payload"
}

func fieldName(what string) string {
	return strings.ReplaceAll(strings.TrimPrefix(what, differs), "-", " ")
}

// TTL is the TTL or hop limit of an IP packet.
func TTL(ip []byte) uint8 {
	if ip[0]>>4 == 6 {
		return ip[7]
	}
	return ip[8]
}

// ECN is the ECN field of an IP packet: the last two bits of IPv4's type of service or IPv6's traffic class.
func ECN(ip []byte) uint8 {
	if ip[0]>>4 == 6 {
		return ip[1] >> 4 & 3
	}
	return ip[1] & 3
}
