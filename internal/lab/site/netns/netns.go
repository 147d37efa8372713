// Package netns is a site that a run makes on this machine: four network namespaces
// (RAN, UPF, data network, SMF) and the links N3, N4 and N6 between them.
//
// Whatever it makes is on the run's list: Close removes it, and what a killed run
// left is removed by host.CleanStale.
package netns

import (
	"errors"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// Testbed is a site made of namespaces.
type Testbed struct {
	RAN, DN, SMF *netdev.Namespace

	spec    site.Spec
	upf     *netdev.Namespace
	between *netdev.Namespace // of bridges and macvlan parents; nil: there are none
	links   site.Links
	claim   *host.Claim
}

var _ site.Site = (*Testbed)(nil)

// Build makes the namespaces and links. On error nothing is left.
func Build(claim *host.Claim, spec site.Spec) (*Testbed, error) {
	t := &Testbed{spec: spec, claim: claim}
	if err := t.build(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Testbed) build() error {
	if err := t.makeNamespaces(); err != nil {
		return err
	}
	if err := t.makeLinks(); err != nil {
		return err
	}
	if err := t.ipv6(); err != nil {
		return err
	}
	return t.routes()
}

func (t *Testbed) makeNamespaces() error {
	roles := map[string]**netdev.Namespace{"ran": &t.RAN, "upf": &t.upf, "dn": &t.DN, "smf": &t.SMF}
	if t.spec.N3.Bridged() || t.spec.N6.Bridged() {
		roles["link"] = &t.between
	}
	for role, ns := range roles {
		name := host.NamespaceName(t.spec.Run, role)
		if err := t.claim.AddNamespace(name); err != nil {
			return err
		}
		var err error
		if *ns, err = netdev.New(name); err != nil {
			return err
		}
		if err := sysctls(*ns); err != nil { // before there are devices: they never send by themselves
			return err
		}
	}
	return nil
}

func (t *Testbed) makeLinks() error {
	l := &t.links
	for _, p := range []struct {
		name        string
		id          byte
		spec        site.LinkSpec
		peer        *netdev.Namespace
		tester, upf *netdev.Port
		between     **site.Between
	}{
		{"n3", 3, t.spec.N3, t.RAN, &l.GNB, &l.UPFN3, &l.N3Between},
		{"n6", 6, t.spec.N6, t.DN, &l.DNN6, &l.UPFN6, &l.N6Between},
		{"n4", 4, t.spec.N4, t.SMF, &l.SMFN4, &l.UPFN4, new(*site.Between)},
	} {
		s := linkSpec{LinkSpec: p.spec, point: p.name, spreads: t.spec.Spread, name: t.device(p.name), testerName: t.device(p.name + "t"),
			tester: p.peer, upf: t.upf, id: p.id, queues: max(t.spec.Queues, 1), mtu: t.spec.MTU, between: t.between, claim: t.claim}
		if p.name == "n4" {
			s.queues, s.mtu = 1, 1500
		}
		made, err := newLink(s)
		if err != nil {
			return err
		}
		*p.tester, *p.upf, *p.between = made.tester, made.upf, made.between
		l.NICs = append(l.NICs, made.nics...)
	}
	return nil
}

// device names hold the run, and differ at the two ends of a link, because NAPI threads are
// named after their device whatever its namespace. Before Linux 5.17 only nine letters of it
// are in a thread's name.
func (t *Testbed) device(point string) string { return point + "-" + t.spec.Run }

func (t *Testbed) namespaces() []*netdev.Namespace {
	return []*netdev.Namespace{t.RAN, t.upf, t.DN, t.SMF, t.between}
}

// Close implements site.Site: it removes the namespaces and gives devices and huge pages back.
func (t *Testbed) Close() error {
	errs := []error{t.claim.ReturnDevices()}
	for _, ns := range t.namespaces() {
		if ns != nil {
			errs = append(errs, t.remove(ns))
		}
	}
	return errors.Join(append(errs, t.claim.ReturnHugePages())...)
}

// remove closes a namespace. One that cannot be removed, or that still has a device of
// the host, stays on the list.
func (t *Testbed) remove(ns *netdev.Namespace) error {
	if t.claim.HasDevice(ns.Name) {
		ns.Release()
		return nil // the error was that of ReturnDevices
	}
	if err := errors.Join(t.claim.EndStrays(ns.Name), ns.Close()); err != nil {
		return err
	}
	return t.claim.DropNamespace(ns.Name)
}

// routes lets the data network reach the UEs through the UPF and the UPF reach
// everything else through the data network. What a UPF leaves to the kernel for
// a UE that it does not know ends there, or it would go round until its TTL is 0;
// a UPF's own route to the UEs comes before.
func (t *Testbed) routes() error {
	for _, pool := range t.spec.UEPools {
		if pool.Addr().Is4() && t.links.DNN6.Readable() {
			if err := t.DN.RouteVia(pool, t.spec.N6.UPF); err != nil {
				return err
			}
		}
		if err := t.upf.Blackhole(pool); err != nil {
			return err
		}
	}
	return t.upf.RouteVia(netip.MustParsePrefix("0.0.0.0/0"), t.spec.N6.Tester)
}

// ipv6 switches IPv6 on at the UPF's ends of the links that have it. The gNB's and the data network's ends
// stay without: their kernels would answer test packets. The UPF knows them as permanent neighbours. The
// SMF is a program that uses sockets, and its end has an address.
func (t *Testbed) ipv6() error {
	l := &t.links
	for _, x := range []struct {
		spec        site.LinkSpec
		upf, tester *netdev.Port
	}{{t.spec.N3, &l.UPFN3, &l.GNB}, {t.spec.N4, &l.UPFN4, &l.SMFN4}, {t.spec.N6, &l.UPFN6, &l.DNN6}} {
		if err := t.linkIPv6(x.spec, x.upf, x.tester); err != nil {
			return err
		}
	}
	if t.spec.N4.UPF6.IsValid() {
		if err := l.SMFN4.AddIPv6(t.spec.N4.Tester6); err != nil {
			return err
		}
	}
	if !t.spec.N6.UPF6.IsValid() {
		return nil
	}
	return t.upf.RouteVia(netip.MustParsePrefix("::/0"), t.spec.N6.Tester6)
}

// linkIPv6 gives the UPF's end of a link its IPv6 address, and the neighbours at the other end.
func (t *Testbed) linkIPv6(spec site.LinkSpec, upf, tester *netdev.Port) error {
	if !spec.UPF6.IsValid() {
		return nil
	}
	errs := []error{upf.AddIPv6(spec.UPF6), t.upf.Sysctl("ipv6/conf/all/forwarding", "1")}
	for _, ip := range append([]netip.Addr{spec.Tester6}, spec.More6...) {
		errs = append(errs, t.upf.AddNeighbour(netdev.Neighbour{Device: upf.Name, IP: ip, MAC: tester.MAC}))
	}
	return errors.Join(errs...)
}
