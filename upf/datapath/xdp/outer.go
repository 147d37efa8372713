package xdp

import (
	"errors"
	"net/netip"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/wire/checksum"
)

// outerTTL is OUTER_TTL of bpf/downlink.h.
const outerTTL = 64

// outerSum adds up the 16-bit words of the outer IPv4 header that are the same
// in every packet, in host order and unfolded (RFC 1071). The program adds
// length, identification and destination.
func outerSum(source [4]byte) uint32 {
	header := [20]byte{0: 0x45, 8: outerTTL, 9: 17}
	copy(header[12:16], source[:])
	return uint32(checksum.Sum(header[:]))
}

// configureN6 has the programs take tunnels on N6, where it has addresses for them.
func configureN6(spec *ebpf.CollectionSpec, n datapath.N6Tunnels) error {
	if !n.Any() {
		return nil
	}
	errs := []error{
		spec.Variables[upfVarN6Tunnels].Set(uint32(1)),
		spec.Variables[upfVarN6Port].Set(n.Port<<8 | n.Port>>8),
	}
	if n.Address.IsValid() {
		errs = append(errs, spec.Variables[upfVarN6Address].Set(wire(n.Address)))
	}
	if n.Address6.IsValid() {
		spec.Maps[upfMapPeers6].MaxEntries = maxPeers
		errs = append(errs, spec.Variables[upfVarN6Address6].Set(wire6(n.Address6.As16())))
	}
	return errors.Join(errs...)
}

// configureOuter6 has the programs take tunnels over IPv6, where N3 has an address.
func configureOuter6(spec *ebpf.CollectionSpec, address netip.Addr) error {
	if !address.IsValid() {
		return nil
	}
	spec.Maps[upfMapPeers6].MaxEntries = maxPeers
	return errors.Join(
		spec.Variables[upfVarOuter6].Set(uint32(1)),
		spec.Variables[upfVarN3Address6].Set(wire6(address.As16())),
	)
}
