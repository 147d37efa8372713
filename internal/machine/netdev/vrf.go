package netdev

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// VRF is a routing table of its own for some devices.
type VRF struct {
	Name    string
	Table   int
	Devices []string
}

// AddVRF makes the VRF, up, and puts the devices in it. Addresses stay; routes of
// the devices move to the VRF's table.
func (n *Namespace) AddVRF(v VRF) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = v.Name
	vrf := &netlink.Vrf{LinkAttrs: attrs, Table: uint32(v.Table)}
	err := n.nl.LinkAdd(vrf)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return fmt.Errorf("make VRF %s: %w: this kernel has none (CONFIG_NET_VRF, module vrf)", v.Name, err)
	}
	if err == nil {
		err = n.nl.LinkSetUp(vrf)
	}
	if err != nil {
		return fmt.Errorf("make VRF %s in %s: %w", v.Name, n.Name, err)
	}
	for _, name := range v.Devices {
		link, err := n.nl.LinkByName(name)
		if err == nil {
			err = n.nl.LinkSetMaster(link, vrf)
		}
		if err != nil {
			return fmt.Errorf("put %s into VRF %s: %w", name, v.Name, err)
		}
	}
	return nil
}
