package xdp

import (
	"encoding/binary"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
)

// syncAddresses lists the machine's own IPv4 addresses for the programs, which
// count drops by them. Where that fails such drops count as "no route".
func (r *router) syncAddresses() {
	list, err := r.kernel.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return
	}
	now := map[uint32]bool{}
	for _, a := range list {
		if ip := a.IP.To4(); ip != nil {
			now[binary.NativeEndian.Uint32(ip)] = true
		}
	}
	r.replaceAddresses(now)
}

func (r *router) replaceAddresses(now map[uint32]bool) {
	for address := range r.known {
		if !now[address] {
			_ = r.own.Delete(address)
			delete(r.known, address)
		}
	}
	for address := range now {
		if !r.known[address] && r.own.Update(address, uint8(1), ebpf.UpdateAny) == nil {
			r.known[address] = true
		}
	}
}
