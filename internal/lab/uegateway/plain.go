package uegateway

import (
	"net/netip"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// routePlain lets the gNB's namespace route between the UEs and N3 as a router does:
// the UPF's N3 port is the next hop of everything from the UEs. A route by N3 stays
// until the gateway is closed.
func (g *Gateway) routePlain() error {
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
