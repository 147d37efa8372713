package uegateway

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// The two ends know each other by link-local addresses (RFC 3927), so that one
// permanent neighbour on each side is enough for any number of UEs.
var (
	gnbSide  = netip.MustParseAddr("169.254.84.1")
	ueSide   = netip.MustParseAddr("169.254.84.2")
	gnbSide6 = netip.MustParseAddr("fe80::84:1")
	ueSide6  = netip.MustParseAddr("fe80::84:2")
)

func (g *Gateway) makeNamespace() error {
	name := host.NamespaceName(g.cfg.Site.Spec().Run, host.RoleUE)
	if err := g.cfg.Claim.AddNamespace(name); err != nil {
		return err
	}
	ns, err := netdev.New(name)
	if err != nil {
		return err
	}
	g.ns = ns
	for key, value := range map[string]string{
		"ipv6/conf/all/disable_ipv6": "1", "ipv6/conf/default/disable_ipv6": "1",
		"ipv4/conf/all/rp_filter": "0", "ipv4/conf/default/rp_filter": "0",
		"ipv4/ping_group_range":           "0 2147483647", // ping as any user
		"ipv4/ip_local_port_range":        "10000 65535",
		"ipv4/ip_unprivileged_port_start": "0", // all ports are the UEs'
	} {
		if err := ns.SysctlIfThere(key, value); err != nil {
			return err
		}
	}
	return g.allowIPv6()
}

// allowIPv6 switches IPv6 on in the UEs' namespace, where UEs have it: on loopback, which the pool is
// local at. A program may bind to an address that no device has, and so be any UE.
func (g *Gateway) allowIPv6() error {
	if !g.cfg.Pool6.IsValid() {
		return nil
	}
	return errors.Join(g.ns.Sysctl("ipv6/conf/lo/disable_ipv6", "0"), g.ns.Sysctl("ipv6/ip_nonlocal_bind", "1"))
}

// makeLink makes the veth pair between the UEs and the gNB.
func (g *Gateway) makeLink() error {
	name := "ue-" + g.cfg.Site.Spec().Run
	g.ue = netdev.Port{NS: g.ns, Name: name, MAC: net.HardwareAddr{0x02, 0x75, 0x70, 0x66, 1, 1}, Addr: ueSide, Prefix: 32}
	g.gnb = netdev.Port{NS: g.n3.NS, Name: name, MAC: net.HardwareAddr{0x02, 0x75, 0x70, 0x66, 1, 2}, Addr: gnbSide, Prefix: 32}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = g.ue.Name, g.cfg.MTU, g.ue.MAC
	err := g.ns.Netlink().LinkAdd(&netlink.Veth{
		LinkAttrs: attrs, PeerName: g.gnb.Name, PeerHardwareAddr: g.gnb.MAC, PeerMTU: uint32(g.cfg.MTU),
		PeerNamespace: netlink.NsFd(g.gnb.NS.FD()),
	})
	if err != nil {
		return fmt.Errorf("make veth pair %s: %w", name, err)
	}
	if err := g.ue.Configure(&g.gnb); err != nil {
		return err
	}
	if err := g.gnb.Configure(&g.ue); err != nil {
		return err
	}
	if err := g.setOffloads(); err != nil {
		return err
	}
	for _, step := range []func() error{g.addressesIPv4, g.addressesIPv6, g.cfg.limitDN, g.cfg.dnIPv6} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// limitDN lets the data network know the UEs' MTU, as a router on the way would: N6 has
// room for packets that do not fit on N3 with GTP-U. A site that is not ours is left alone.
func (c Config) limitDN() error {
	dn, upf := c.Site.Links().DNN6, c.Site.Links().UPFN6
	if !c.Site.OwnsUPF() || c.Oversize || !c.Pool.IsValid() {
		return nil
	}
	return dn.NS.AddRoute(netdev.Route{To: c.Pool, Via: upf.Addr, Device: dn.Name, MTU: c.MTU})
}

// dnIPv6 gives the data network its IPv6 address and the way to the UEs. Where no applications
// are measured it has none, since its kernel would answer test packets. A site that is not ours
// is left alone.
func (c Config) dnIPv6() error {
	if !c.Site.OwnsUPF() || !c.Pool6.IsValid() {
		return nil
	}
	l, n6 := c.Site.Links(), c.Site.Spec().N6
	if err := l.DNN6.AddIPv6(n6.Tester6); err != nil {
		return err
	}
	way := netdev.Route{To: c.Pool6, Via: n6.UPF6, Device: l.DNN6.Name}
	if !c.Oversize {
		way.MTU = c.MTU
	}
	return errors.Join(
		l.DNN6.NS.AddNeighbour(netdev.Neighbour{Device: l.DNN6.Name, IP: n6.UPF6, MAC: l.UPFN6.MAC}),
		l.DNN6.NS.AddRoute(way))
}

// addressesIPv4 makes the whole pool local: a program may bind to any UE's address. The
// default one is on the interface, for people to see, and is the source of the route.
func (g *Gateway) addressesIPv4() error {
	own := g.cfg.UEs[g.cfg.Default].Address
	if !own.IsValid() {
		return nil
	}
	nl := g.ns.Netlink()
	link, err := nl.LinkByIndex(g.ue.Index)
	if err != nil {
		return fmt.Errorf("find %s: %w", g.ue.Name, err)
	}
	if err := nl.AddrAdd(link, &netlink.Addr{IPNet: ipNet(netip.PrefixFrom(own, own.BitLen()))}); err != nil {
		return fmt.Errorf("set %s on %s: %w", own, g.ue.Name, err)
	}
	if err := makeLocal(g.ns, g.cfg.Pool); err != nil {
		return err
	}
	return g.routeAll(netip.IPv4Unspecified(), gnbSide, own)
}

// addressesIPv6 does the same of IPv6. The gNB is a permanent neighbour: neither side asks.
func (g *Gateway) addressesIPv6() error {
	own := g.cfg.UEs[g.cfg.Default].Address6
	if !own.IsValid() {
		return nil
	}
	if err := g.ue.AddIPv6(own); err != nil {
		return err
	}
	if err := makeLocal(g.ns, g.cfg.Pool6); err != nil {
		return err
	}
	gnb := netdev.Neighbour{Device: g.ue.Name, IP: gnbSide6, MAC: g.gnb.MAC}
	return errors.Join(g.ns.AddNeighbour(gnb), g.routeAll(netip.IPv6Unspecified(), gnbSide6, own))
}

// makeLocal makes all addresses of a pool a namespace's own.
func makeLocal(ns *netdev.Namespace, pool netip.Prefix) error {
	lo, err := ns.Netlink().LinkByName("lo")
	if err != nil {
		return err
	}
	local := &netlink.Route{Dst: ipNet(pool), LinkIndex: lo.Attrs().Index, Type: unix.RTN_LOCAL,
		Table: unix.RT_TABLE_LOCAL, Scope: netlink.SCOPE_HOST}
	if err := ns.Netlink().RouteReplace(local); err != nil {
		return fmt.Errorf("make %s local in %s: %w", pool, ns.Name, err)
	}
	return nil
}

// routeAll routes everything of the family of all by the gNB, from an address of the UE.
func (g *Gateway) routeAll(all, gnb, own netip.Addr) error {
	out := &netlink.Route{Dst: ipNet(netip.PrefixFrom(all, 0)), LinkIndex: g.ue.Index, Gw: gnb.AsSlice(),
		Flags: unix.RTNH_F_ONLINK, Src: own.AsSlice()}
	if err := g.ns.Netlink().RouteReplace(out); err != nil {
		return fmt.Errorf("route everything from %s by the gNB: %w", g.ns.Name, err)
	}
	return nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Masked().Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
