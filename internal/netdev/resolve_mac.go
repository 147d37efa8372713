package netdev

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// ResolveMAC asks the kernel for the MAC address of who has an address behind a port of this
// thread's namespace, and waits for ARP, 3 s at most.
func ResolveMAC(p Port, ip netip.Addr) (net.HardwareAddr, error) {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 9))) // discard
	if err != nil {
		return nil, fmt.Errorf("reach %s by %s: %w", ip, p.Name, err)
	}
	defer conn.Close()
	for range 30 {
		conn.Write([]byte{0}) // makes the kernel resolve
		neighbours, err := p.NS.Netlink().NeighList(p.Index, unix.AF_INET)
		if err != nil {
			return nil, fmt.Errorf("read the neighbours of %s: %w", p.Name, err)
		}
		if hw := usable(neighbours, ip); hw != nil {
			return hw, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, fmt.Errorf("%s does not answer ARP on %s: is the UPF's address right and its port up?", ip, p.Name)
}

func usable(list []netlink.Neigh, ip netip.Addr) net.HardwareAddr {
	const valid = netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY | netlink.NUD_PROBE | netlink.NUD_PERMANENT
	for _, n := range list {
		if n.IP.Equal(ip.AsSlice()) && n.State&valid != 0 && len(n.HardwareAddr) == 6 {
			return n.HardwareAddr
		}
	}
	return nil
}
