package attached

import (
	"fmt"
	"net"
	"net/netip"
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
	if err := has(key, ours, s.Tester6); err != nil {
		return ours, theirs, err
	}
	hw, err := netdev.ResolveMAC(ours, s.UPF)
	if err != nil {
		return ours, theirs, err
	}
	return ours, netdev.Port{Addr: s.UPF, MAC: hw, Prefix: s.Prefix}, nil
}

// has checks that this host answers for the addresses of a port and, where the run needs one, for six: upflab gives none to
// interfaces of yours, and a peer that asks for one in vain stops sending in mid-run. The kernel answers for an address of any
// interface.
func has(key string, p netdev.Port, six netip.Addr) error {
	list, err := p.NS.Netlink().AddrList(nil, unix.AF_UNSPEC)
	if err != nil {
		return fmt.Errorf("read the addresses of this host: %w", err)
	}
	missing := func(want netip.Addr) bool {
		return !slices.ContainsFunc(list, func(a netlink.Addr) bool { return a.IP.Equal(want.AsSlice()) })
	}
	for _, want := range append([]netip.Addr{p.Addr}, p.More...) {
		if missing(want) {
			return fmt.Errorf("%s: %s has no address %s, which the UPF sends to: `ip addr add %s/%d dev %s`, or correct %s",
				key, p.Name, want, want, p.Prefix, p.Name, ownKey(key, want))
		}
	}
	if six.IsValid() && missing(six) {
		return fmt.Errorf("%s: %s has no address %s, which the UPF sends packets of UEs with IPv6 to: `ip addr add %s/64 dev %s`, or correct n6.dn6",
			key, p.Name, six, six, p.Name)
	}
	return nil
}

// ownKey is the setting of the tester's address behind an interface.
func ownKey(key string, of netip.Addr) string {
	switch {
	case key == n6Key:
		return "n6.dn"
	case of.Is6():
		return "n3.gnb6"
	}
	return "n3.gnb"
}
