package pfcp

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"
)

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
