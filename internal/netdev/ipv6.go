package netdev

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// AddIPv6 switches IPv6 on at the port, without link-local addresses and what goes with them,
// and gives it an address in a network of 64 bits, which is its Addr6 then.
func (p *Port) AddIPv6(ip netip.Addr) error {
	for _, set := range [][2]string{{"addr_gen_mode", "1"}, {"accept_ra", "0"}, {"disable_ipv6", "0"}} {
		if err := p.NS.Sysctl("ipv6/conf/"+p.Name+"/"+set[0], set[1]); err != nil {
			return err
		}
	}
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return fmt.Errorf("find %s in %s: %w", p.Name, p.NS.Name, err)
	}
	addr := &netlink.Addr{IPNet: &net.IPNet{IP: ip.AsSlice(), Mask: net.CIDRMask(64, 128)}, Flags: unix.IFA_F_NODAD}
	if err := p.NS.nl.AddrReplace(link, addr); err != nil {
		return fmt.Errorf("add %s to %s: %w", ip, p.Name, err)
	}
	p.Addr6 = ip
	return nil
}
