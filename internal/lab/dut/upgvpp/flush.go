package upgvpp

import (
	"fmt"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// flush takes the kernel's addresses off a port that VPP has to itself.
func flush(p netdev.Port) error {
	nl := p.NS.Netlink()
	link, err := nl.LinkByIndex(p.Index)
	if err != nil {
		return fmt.Errorf("find %s in %s: %w", p.Name, p.NS.Name, err)
	}
	addrs, err := nl.AddrList(link, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("list the addresses of %s in %s: %w", p.Name, p.NS.Name, err)
	}
	for _, a := range addrs {
		if err := nl.AddrDel(link, &a); err != nil {
			return fmt.Errorf("take %s off %s in %s: %w", a.IPNet, p.Name, p.NS.Name, err)
		}
	}
	return nil
}
