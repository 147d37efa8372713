package xdp

import (
	"encoding/binary"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
)

// ownAddresses are the machine's own, of one family, as the programs have them.
type ownAddresses[A comparable] struct {
	table *ebpf.Map
	known map[A]bool // what the table holds
}

// syncAddresses lists the machine's own addresses for the programs, which count drops by
// them. Where that fails such drops count as "no route".
func (r *router) syncAddresses() {
	list, err := r.kernel.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return
	}
	four, six := map[uint32]bool{}, map[upfAddr6]bool{}
	for _, a := range list {
		if ip := a.IP.To4(); ip != nil {
			four[binary.NativeEndian.Uint32(ip)] = true
		} else if len(a.IP) == 16 {
			six[wire6([16]byte(a.IP))] = true
		}
	}
	r.own.replace(four)
	r.own6.replace(six)
}

func (o *ownAddresses[A]) replace(now map[A]bool) {
	for address := range o.known {
		if !now[address] {
			_ = o.table.Delete(address)
			delete(o.known, address)
		}
	}
	for address := range now {
		if !o.known[address] && o.table.Update(address, uint8(1), ebpf.UpdateAny) == nil {
			o.known[address] = true
		}
	}
}
