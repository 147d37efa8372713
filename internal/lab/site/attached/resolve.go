package attached

import (
	"fmt"
	"net"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
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
	ours = netdev.Port{NS: ns, Name: device, Index: link.Attrs().Index, MAC: link.Attrs().HardwareAddr,
		Addr: s.Tester, More: s.More, Prefix: s.Prefix}
	if err := has(link, key, ours); err != nil {
		return ours, theirs, err
	}
	hw, err := netdev.ResolveMAC(ours, s.UPF)
	if err != nil {
		return ours, theirs, err
	}
	return ours, netdev.Port{Addr: s.UPF, MAC: hw, Prefix: s.Prefix}, nil
}

// has checks that a device has the further addresses of a port: upflab gives none to
// interfaces of yours.
func has(link netlink.Link, key string, p netdev.Port) error {
	if len(p.More) == 0 {
		return nil
	}
	list, err := p.NS.Netlink().AddrList(link, unix.AF_INET)
	if err != nil {
		return fmt.Errorf("read the addresses of %s: %w", p.Name, err)
	}
	for _, want := range p.More {
		if !slices.ContainsFunc(list, func(a netlink.Addr) bool { return a.IP.Equal(want.AsSlice()) }) {
			return fmt.Errorf("%s: %s has no address %s, which is that of a gNB: `ip addr add %s/%d dev %s`", key,
				p.Name, want, want, p.Prefix, p.Name)
		}
	}
	return nil
}
