package netdev

import (
	"bytes"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// addresses are those of a device but for the ones that the kernel makes again:
// link-local and temporary ones.
func (d Device) addresses(link netlink.Link) (list []netlink.Addr, err error) {
	all, err := d.ns.nl.AddrList(link, netlink.FAMILY_ALL)
	for _, a := range all {
		v6 := a.IP.To4() == nil
		if v6 && (a.Flags&unix.IFA_F_TEMPORARY != 0 || generated(a, link.Attrs().HardwareAddr)) {
			continue
		}
		list = append(list, a)
	}
	return list, err
}

// generated reports whether the kernel makes this link-local address itself.
func generated(a netlink.Addr, mac net.HardwareAddr) bool {
	if !a.IP.IsLinkLocalUnicast() || len(mac) != 6 {
		return false
	}
	eui64 := []byte{mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]}
	return a.Flags&unix.IFA_F_STABLE_PRIVACY != 0 || bytes.Equal(a.IP[8:16], eui64)
}

func (d Device) restoreAddress(link netlink.Link, a netlink.Addr) error {
	// The kernel computes these flags.
	a.Flags &^= unix.IFA_F_PERMANENT | unix.IFA_F_TENTATIVE | unix.IFA_F_DADFAILED | unix.IFA_F_DEPRECATED | unix.IFA_F_SECONDARY
	a.LinkIndex = 0
	if a.Broadcast == nil { // the library would make one up
		a.Broadcast = net.IPv4zero
	}
	if err := d.ns.nl.AddrReplace(link, &a); err != nil {
		return fmt.Errorf("address %s: %w", a.IPNet, err)
	}
	return nil
}
