package sitetest

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

// Fake is a site in memory: it has ports and nothing behind them.
type Fake struct {
	Asked  site.Spec
	Ports  site.Links
	NS     *netdev.Namespace
	Remote bool // the run does not own the UPF

	Provided []site.Needs
}

var _ site.Site = (*Fake)(nil)

var errFake = errors.New("a fake site starts and opens nothing")

// Spec implements site.Site: it gives what the site was asked for.
func (f *Fake) Spec() site.Spec { return f.Asked }

// Links implements site.Site: it gives the ports of the links.
func (f *Fake) Links() *site.Links { return &f.Ports }

// UPF implements site.Site: it gives the network namespace of the UPF's programs.
func (f *Fake) UPF() *netdev.Namespace { return f.NS }

// OwnsUPF implements site.Site: it reports whether the run starts the UPF here.
func (f *Fake) OwnsUPF() bool { return !f.Remote }

// Claim implements site.Site: a fake owns nothing.
func (f *Fake) Claim() *host.Claim { return nil }

// Provide implements site.Site: it keeps what was asked for.
func (f *Fake) Provide(n site.Needs) error {
	f.Provided = append(f.Provided, n)
	return nil
}

// Start implements site.Site: it fails, since a fake starts nothing.
func (f *Fake) Start(*exec.Cmd, func() error) (*host.Child, error) { return nil, errFake }

// ListenN4 implements site.Site: it fails, since a fake has no sockets.
func (f *Fake) ListenN4(netip.AddrPort) (*net.UDPConn, error) { return nil, errFake }

// PrepareReceive implements site.Site: no thread receives for the UPF.
func (f *Fake) PrepareReceive(site.Receive) ([]int, error) { return nil, nil }

// Usage implements site.Site: nothing uses CPU time.
func (f *Fake) Usage(telemetry.Subject) (telemetry.Sample, error) { return telemetry.Sample{}, nil }

// Memory implements site.Site: nothing holds memory.
func (f *Fake) Memory([]int) (uint64, error) { return 0, nil }

// OpenDrops implements site.Site: the kernel loses nothing.
func (f *Fake) OpenDrops() (site.Drops, error) { return fakeDrops{}, nil }

type fakeDrops struct{}

func (fakeDrops) Read() ([]telemetry.Drop, error) { return nil, nil }
func (fakeDrops) Close() error                    { return nil }

// Close implements site.Site: there is nothing to remove.
func (f *Fake) Close() error { return nil }
