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
	if r.wanted.Get(&wanted) == nil && wanted != [wantedSlots]uint32{} {
		_ = r.wanted.Set([wantedSlots]uint32{})
		for _, destination := range wanted {
			if destination != 0 {
				r.resolve(binary.NativeEndian.AppendUint32(nil, destination))
			}
		}
	}
	var wanted6 [wantedSlots]upfAddr6
	if r.wanted6.Get(&wanted6) == nil && wanted6 != [wantedSlots]upfAddr6{} {
		_ = r.wanted6.Set([wantedSlots]upfAddr6{})
		for _, destination := range wanted6 {
			if destination != (upfAddr6{}) {
				b := octets6(destination)
				r.resolve(b[:])
			}
		}
	}
}

// octets6 is an address as it is in a packet.
func octets6(a upfAddr6) (b [16]byte) {
	binary.NativeEndian.PutUint64(b[:], a.Word[0])
	binary.NativeEndian.PutUint64(b[8:], a.Word[1])
	return b
}

// resolve sends the ARP request, or the neighbour solicitation, that the kernel would
// send for a packet.
func (r *router) resolve(ip net.IP) {
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
