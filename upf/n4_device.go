package upf

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
)

// Device is the interface that N4's socket is bound to, in the network namespace
// of the calling thread; "" when it is bound to none. An address on a loopback or
// dummy interface is reached by others, so that one is none.
func (n N4) Device() (string, error) {
	switch n.Interface {
	case "":
		return deviceOf(n.Address.Addr())
	case AnyInterface:
		return "", nil
	}
	return n.Interface, nil
}

func deviceOf(address netip.Addr) (string, error) {
	all, err := netlink.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return "", fmt.Errorf("find the interface of N4's address %v: %w: set n4.interface", address, err)
	}
	for _, a := range all {
		if !a.IP.Equal(net.IP(address.AsSlice())) {
			continue
		}
		link, err := netlink.LinkByIndex(a.LinkIndex)
		if err != nil {
			return "", fmt.Errorf("find the interface of N4's address %v: %w: set n4.interface", address, err)
		}
		if link.Attrs().Flags&net.FlagLoopback == 0 && link.Type() != "dummy" {
			return link.Attrs().Name, nil
		}
	}
	return "", nil
}
