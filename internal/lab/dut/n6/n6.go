// Package n6 is the DUT with no UPF and no GTP-U: the kernel forwards IP packets between
// N3 and N6. What applications reach through it is the baseline of their figures.
package n6

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// Driver is dut.Driver for plain forwarding.
type Driver struct{ Version string }

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		IPv6UEs:         true,
		NoIPv6Transport: "it has neither N3 nor N4",
		CheckMode:       checkMode,
		Name:            "n6", Summary: "no UPF, no GTP-U: the kernel forwards, the baseline of applications (n6:offload: with segmentation offload)",
		Docs: "part of upflab", Verified: "tried",
		Remarks: []string{"Without GTP-U, and so for applications behind the UE gateway alone: frames of G-PDUs go nowhere."},
	}
}

// offload is the mode in which no segment is cut on the way.
const offload = "offload"

// checkMode takes that mode and none.
func checkMode(mode string) error {
	if mode == "" || mode == offload {
		return nil
	}
	return fmt.Errorf("n6 has no mode %q; it has: %s, and none", mode, offload)
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) { return d.Version, nil }

// Start implements dut.Driver: it routes the UEs to the gNB. Everything else is routed to the data
// network already.
func (Driver) Start(_ context.Context, env dut.Env) (*dut.Instance, error) {
	l := env.Site.Links()
	way := netdev.Route{To: env.Scenario.UE.Pool, Via: l.GNB.Addr, Device: l.UPFN3.Name}
	err := env.Site.Provide(site.Needs{Routes: []netdev.Route{way}})
	if err == nil && env.Scenario.UE.Family.IPv6() {
		err = routeIPv6(l, env.Scenario.UE.Pool6)
	}
	if err != nil {
		return nil, err
	}
	if env.Mode == offload {
		err = errors.Join(l.UPFN3.OffloadsOn(), l.UPFN6.OffloadsOn())
	}
	return &dut.Instance{Program: dut.Resident{}, Endpoint: dut.Endpoint{Kind: dut.Router, Offloads: env.Mode == offload}}, err
}

// routeIPv6 gives N3 IPv6, and routes the UEs' prefixes to the gNB, whose address is the one after the UPF's.
func routeIPv6(l *site.Links, pool netip.Prefix) error {
	upf := netip.MustParseAddr("fe80::6:1")
	if err := l.UPFN3.AddIPv6(upf); err != nil {
		return err
	}
	gnb := netdev.Neighbour{Device: l.UPFN3.Name, IP: upf.Next(), MAC: l.GNB.MAC}
	return errors.Join(l.UPFN3.NS.AddNeighbour(gnb), l.UPFN3.NS.AddRoute(netdev.Route{To: pool, Via: gnb.IP, Device: gnb.Device}))
}
