package site

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Attach makes a testbed of what is there already: interfaces of this namespace
// that lead to a UPF elsewhere. UPF is nil then; nothing is created or changed
// but the XDP programs that an engine attaches for as long as it runs.
func Attach(claim *Claim, spec Spec, n3, n6 string) (*Testbed, error) {
	host, err := hostNamespace()
	if err != nil {
		return nil, err
	}
	t := &Testbed{Spec: spec, claim: claim, RAN: host, DN: host, SMF: host}
	t.GNB, t.UPFN3, err = attachPort(host, "external.n3_interface", n3, spec.N3)
	if err == nil {
		t.DNN6, t.UPFN6, err = attachPort(host, "external.n6_interface", n6, spec.N6)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// attachPort finds our port and the MAC address of the UPF's behind it.
func attachPort(ns *Namespace, key, device string, s LinkSpec) (ours, theirs Port, err error) {
	link, err := ns.nl.LinkByName(device)
	if err != nil {
		return ours, theirs, fmt.Errorf("%s: %w: make %q, give it the address %s, and bring it up first", key, err, device, s.Tester)
	}
	if link.Attrs().Flags&net.FlagUp == 0 {
		return ours, theirs, fmt.Errorf("%s: %s is down: `ip link set %s up`", key, device, device)
	}
	ours = Port{NS: ns, Name: device, Index: link.Attrs().Index, MAC: link.Attrs().HardwareAddr, Addr: s.Tester, Prefix: s.Prefix}
	hw, err := ns.resolve(ours, s.UPF)
	if err != nil {
		return ours, theirs, err
	}
	return ours, Port{Addr: s.UPF, MAC: hw, Prefix: s.Prefix}, nil
}

// resolve asks the kernel for a neighbour's MAC address and waits for ARP.
func (n *Namespace) resolve(p Port, ip netip.Addr) (net.HardwareAddr, error) {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 9))) // discard
	if err != nil {
		return nil, fmt.Errorf("reach %s by %s: %w", ip, p.Name, err)
	}
	defer conn.Close()
	for range 30 {
		conn.Write([]byte{0}) // makes the kernel resolve
		neighbours, err := n.nl.NeighList(p.Index, unix.AF_INET)
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
