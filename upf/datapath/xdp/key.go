package xdp

import (
	"encoding/binary"
	"math"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// key is what one of the rule maps is looked up by: a plan.Key in fewer octets.
type key struct {
	source session.Interface // access: it is a TEID
	ipv6   bool
	bits   uint8    // of a prefix: IPv6, or an IPv4 network, which is IPv4-mapped in id; 0: an address
	id     [16]byte // TEID or UE address, in network order, of 4 octets but for IPv6's prefixes
}

// shortKey is a key of a TEID or an IPv4 address: there are many.
type shortKey uint64

// short is the key in fewer octets; not ok for one of a prefix.
func (k key) short() (s shortKey, ok bool) {
	s = shortKey(binary.BigEndian.Uint32(k.id[:])) | shortKey(k.source)<<32
	if k.ipv6 {
		s |= 1 << 40
	}
	return s, k.bits == 0
}

func (k key) String() string {
	p := plan.Key{Source: k.source, IPv6: k.ipv6}
	if k.source == session.Access {
		p.TEID = binary.BigEndian.Uint32(k.id[:])
	} else {
		p.UE = netip.PrefixFrom(netip.AddrFrom4([4]byte(k.id[:4])), 32)
		if k.ipv6 {
			p.UE = netip.PrefixFrom(netip.AddrFrom16(k.id), int(k.bits))
		} else if k.bits > 0 {
			p.UE = netip.PrefixFrom(netip.AddrFrom16(k.id).Unmap(), int(k.bits)-96)
		}
	}
	return p.String()
}

// isUplink6 reports whether the key is of the IPv6 packets of a TEID.
func (k key) isUplink6() bool { return k.source == session.Access && k.ipv6 }

// ofRows is the key of the rows, as packets are compared with it: KEY_FRAMED of bpf/chain.h for
// an IPv4 network.
func (k key) ofRows() uint32 {
	if k.bits > 0 {
		return math.MaxUint32
	}
	return binary.NativeEndian.Uint32(k.id[:])
}

// table is which of the maps the key is of.
func (k key) table() tableID { return tableID{k.source, k.ipv6 || k.bits > 0} }

// tableID names a rule map.
type tableID struct {
	source session.Interface
	ipv6   bool
}

// record is an entry at rest. It has no pointers, so that the garbage collector does not look at
// two of them for each session; what a chain of rows has is in the table's chains.
type record struct {
	seid uint64
	rule ruleWord
	next uint32 // the session's next record; 0: none
	peer peerNumber
	key  key
	from session.Interface
	pdr  uint16
}
