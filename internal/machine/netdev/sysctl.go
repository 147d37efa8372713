package netdev

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Sysctl sets a key below /proc/sys/net in the namespace.
func (n *Namespace) Sysctl(key, value string) error {
	path := filepath.Join("/proc/sys/net", key)
	err := n.Do(func() error { return os.WriteFile(path, []byte(value), 0) })
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("set %s to %s in %s: %w: this kernel has no such setting", path, value, n.Name, err)
	}
	if err != nil {
		return fmt.Errorf("set %s to %s in %s: %w", path, value, n.Name, err)
	}
	return nil
}

// SysctlIfThere is Sysctl where the kernel has the setting; else it does nothing.
func (n *Namespace) SysctlIfThere(key, value string) error {
	err := n.Sysctl(key, value)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

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
