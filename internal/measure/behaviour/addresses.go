package behaviour

import (
	"encoding/binary"
	"net/netip"
)

// addr6 is a UE's address in 2001:db8:45::/48, alone in its /64.
func addr6(n uint32) netip.Addr {
	a := netip.MustParseAddr("2001:db8:45::1").As16()
	binary.BigEndian.PutUint16(a[6:], uint16(n))
	return netip.AddrFrom16(a)
}
