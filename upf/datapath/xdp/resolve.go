package xdp

import (
	"encoding/binary"
	"net"

	"github.com/vishvananda/netlink"
)

// wantedSlots is WANTED_SLOTS of bpf/route.h.
const wantedSlots = 64

// resolveWanted asks the kernel to resolve the neighbours that the programs
// missed. Where that fails the programs ask again with the next packet.
func (r *router) resolveWanted() {
	var wanted [wantedSlots]uint32
	if r.wanted.Get(&wanted) != nil || wanted == [wantedSlots]uint32{} {
		return
	}
	_ = r.wanted.Set([wantedSlots]uint32{})
	for _, destination := range wanted {
		if destination != 0 {
			r.resolve(destination)
		}
	}
}

// resolve sends the ARP request that the kernel would send for a packet.
func (r *router) resolve(destination uint32) {
	ip := make(net.IP, 4)
	binary.NativeEndian.PutUint32(ip, destination)
	routes, err := r.kernel.RouteGet(ip)
	if err != nil || len(routes) == 0 {
		return
	}
	if gateway := routes[0].Gw; gateway != nil {
		ip = gateway
	}
	_ = r.kernel.NeighSet(&netlink.Neigh{
		LinkIndex: routes[0].LinkIndex, IP: ip, State: netlink.NUD_NONE, Flags: netlink.NTF_USE,
	})
}
