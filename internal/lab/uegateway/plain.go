package uegateway

import (
	"errors"
	"net/netip"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// routePlain lets the gNB's namespace route between the UEs and N3 as a router does:
// the UPF's N3 port is the next hop of everything from the UEs. A route by N3 stays
// until the gateway is closed.
func (g *Gateway) routePlain() error {
	if g.cfg.Pool6.IsValid() {
		if err := g.routePlainIPv6(); err != nil {
			return err
		}
	}
	if !g.cfg.Pool.IsValid() {
		return nil
	}
	ns := g.gnb.NS
	if err := ns.AddRoute(netdev.Route{To: g.cfg.Pool, Via: ueSide, Device: g.gnb.Name, OnLink: true}); err != nil {
		return err // it goes with the device
	}
	dn := g.cfg.Site.Links().DNN6
	way := netdev.Route{To: netip.PrefixFrom(dn.Addr, dn.Prefix).Masked(), Via: g.cfg.Site.Links().UPFN3.Addr, Device: g.n3.Name}
	if err := ns.AddRoute(way); err != nil {
		return err
	}
	g.undo = append(g.undo, func() error { return ns.DropRoute(way) })
	return nil
}

// routePlainIPv6 does the same of IPv6. N3 has none unless the router behind it has given its end an
// address: then both ends know each other as permanent neighbours.
func (g *Gateway) routePlainIPv6() error {
	l := g.cfg.Site.Links()
	upf := l.UPFN3.Addr6
	if !upf.IsValid() {
		return errors.New("the router behind the UEs has no IPv6 on N3")
	}
	ns := g.gnb.NS
	g.undo = append(g.undo, func() error { return ns.Sysctl("ipv6/conf/all/forwarding", "0") },
		func() error { return ns.Sysctl("ipv6/conf/"+g.n3.Name+"/disable_ipv6", "1") }) // with its routes
	return errors.Join(g.gnb.AddIPv6(gnbSide6), g.n3.AddIPv6(upf.Next()), ns.Sysctl("ipv6/conf/all/forwarding", "1"),
		ns.AddNeighbour(netdev.Neighbour{Device: g.gnb.Name, IP: ueSide6, MAC: g.ue.MAC}),
		ns.AddRoute(netdev.Route{To: g.cfg.Pool6, Via: ueSide6, Device: g.gnb.Name}),
		ns.AddNeighbour(netdev.Neighbour{Device: g.n3.Name, IP: upf, MAC: l.UPFN3.MAC}),
		ns.AddRoute(netdev.Route{To: netip.PrefixFrom(g.cfg.Site.Spec().N6.Tester6, 64).Masked(), Via: upf, Device: g.n3.Name}))
}
