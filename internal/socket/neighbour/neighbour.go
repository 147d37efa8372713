// Package neighbour is what is asked of the kernel about the neighbours of a link.
package neighbour

import (
	"net"

	"github.com/vishvananda/netlink"
)

// Resolved are the states in which the kernel has found a neighbour's address, or was given it.
const Resolved = netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY | netlink.NUD_PROBE | netlink.NUD_PERMANENT

// MAC is the MAC address of one in a list; nil where the kernel does not have it.
func MAC(list []netlink.Neigh, ip net.IP) net.HardwareAddr {
	for i := range list {
		if n := &list[i]; n.IP.Equal(ip) && n.State&Resolved != 0 && len(n.HardwareAddr) == 6 {
			return n.HardwareAddr
		}
	}
	return nil
}

// Resolve has the kernel do what it does for a packet to a neighbour: it sends an ARP request, or a
// neighbour solicitation. A permanent entry becomes an ordinary one.
func Resolve(kernel *netlink.Handle, link int, ip net.IP) error {
	return kernel.NeighSet(&netlink.Neigh{LinkIndex: link, IP: ip, State: netlink.NUD_NONE, Flags: netlink.NTF_USE})
}
