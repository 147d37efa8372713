// Package attached is a site that is there already: interfaces of this namespace that
// lead to a UPF elsewhere. Nothing is made or changed but the XDP programs that an
// engine attaches for as long as it runs, and the interfaces' queues where the run asks for
// several.
package attached

import (
	"errors"
	"net"
	"net/netip"
	"os/exec"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
)

// Attached is the site of a UPF elsewhere. Of the UPF's ports only the addresses are
// known.
type Attached struct {
	spec  site.Spec
	host  *netdev.Namespace
	links site.Links
	claim *host.Claim
}

var _ site.Site = (*Attached)(nil)

// The settings that name the interfaces.
const (
	n3Key = "external.n3_interface"
	n6Key = "external.n6_interface"
)

// Open finds the interfaces that lead to the UPF, and its MAC addresses.
func Open(claim *host.Claim, spec site.Spec, n3, n6 string) (*Attached, error) {
	ns, err := netdev.Current()
	if err != nil {
		return nil, err
	}
	a := &Attached{spec: spec, host: ns, claim: claim}
	l := &a.links
	l.GNB, l.UPFN3, err = findPort(ns, n3Key, n3, spec.N3)
	if err == nil {
		l.DNN6, l.UPFN6, err = findPort(ns, n6Key, n6, spec.N6)
	}
	if err == nil {
		err = a.setQueues()
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Between is a site whose other ends are on other hosts: spec names those, n3 and n6 are the
// UPF's MAC addresses as these see them.
func Between(claim *host.Claim, spec site.Spec, n3, n6 net.HardwareAddr) (*Attached, error) {
	ns, err := netdev.Current()
	if err != nil {
		return nil, err
	}
	a := &Attached{spec: spec, host: ns, claim: claim}
	a.links.GNB, a.links.UPFN3 = apart(spec.N3, n3)
	a.links.DNN6, a.links.UPFN6 = apart(spec.N6, n6)
	return a, nil
}

// apart is a link of which both ends are elsewhere.
func apart(s site.LinkSpec, theirs net.HardwareAddr) (tester, upf netdev.Port) {
	return netdev.Port{Addr: s.Elsewhere[0].Addr, MAC: s.Elsewhere[0].MAC, Prefix: s.Prefix},
		netdev.Port{Addr: s.UPF, MAC: theirs, Prefix: s.Prefix}
}

// Spec implements site.Site: it gives what the site was asked for.
func (a *Attached) Spec() site.Spec { return a.spec }

// Links implements site.Site: it gives the ports of the links.
func (a *Attached) Links() *site.Links { return &a.links }

// UPF implements site.Site: there is no namespace, since the UPF runs elsewhere.
func (a *Attached) UPF() *netdev.Namespace { return nil }

// OwnsUPF implements site.Site: the UPF goes on after the run.
func (a *Attached) OwnsUPF() bool { return false }

// Claim implements site.Site: it gives the list of what the run owns.
func (a *Attached) Claim() *host.Claim { return a.claim }

var errElsewhere = errors.New("the UPF runs elsewhere: upflab starts and changes nothing there")

// Provide implements site.Site: it fails, since upflab changes nothing where the UPF runs.
func (a *Attached) Provide(site.Needs) error { return errElsewhere }

// Start implements site.Site: it fails, since upflab starts nothing where the UPF runs.
func (a *Attached) Start(*exec.Cmd, func() error) (*host.Child, error) { return nil, errElsewhere }

// ListenN4 implements site.Site: it opens the SMF's socket for PFCP.
func (a *Attached) ListenN4(at netip.AddrPort) (*net.UDPConn, error) { return a.host.ListenUDP(at) }

// PrepareReceive implements site.Site: it readies the ports for the traffic engine. The interfaces are
// the user's: no thread of theirs is moved, and GRO, which gives a veth its NAPI, is switched back at
// the end of the run.
func (a *Attached) PrepareReceive(r site.Receive) ([]int, error) {
	if !r.SinkNAPI || !a.links.GNB.Readable() {
		return nil, nil
	}
	return nil, errors.Join(a.claim.SwitchGROOn(&a.links.GNB), a.claim.SwitchGROOn(&a.links.DNN6))
}

// Usage implements site.Site: it reads the CPU time of the subject. The UPF may be a process of this
// machine (external.pid).
func (a *Attached) Usage(s telemetry.Subject) (telemetry.Sample, error) { return telemetry.Take(s) }

// Memory implements site.Site: it reads what the processes hold, in bytes.
func (a *Attached) Memory(pids []int) (uint64, error) { return telemetry.Memory(pids) }

// OpenDrops implements site.Site: the kernel of the UPF is not seen from here.
func (a *Attached) OpenDrops() (site.Drops, error) { return noDrops{}, nil }

type noDrops struct{}

func (noDrops) Read() ([]telemetry.Drop, error) { return nil, nil }
func (noDrops) Close() error                    { return nil }
