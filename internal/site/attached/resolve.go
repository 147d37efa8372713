package attached

import (
	"fmt"
	"net"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/site"
)

// findPort finds our port and the MAC address of the UPF's behind it.
func findPort(ns *netdev.Namespace, key, device string, s site.LinkSpec) (ours, theirs netdev.Port, err error) {
	link, err := ns.Netlink().LinkByName(device)
	if err != nil {
		return ours, theirs, fmt.Errorf("%s: %w: make %q, give it the address %s, and bring it up first", key, err, device, s.Tester)
	}
	if link.Attrs().Flags&net.FlagUp == 0 {
		return ours, theirs, fmt.Errorf("%s: %s is down: `ip link set %s up`", key, device, device)
	}
	ours = netdev.Port{NS: ns, Name: device, Index: link.Attrs().Index, MAC: link.Attrs().HardwareAddr, Addr: s.Tester, Prefix: s.Prefix}
	hw, err := netdev.ResolveMAC(ours, s.UPF)
	if err != nil {
		return ours, theirs, err
	}
	return ours, netdev.Port{Addr: s.UPF, MAC: hw, Prefix: s.Prefix}, nil
}
