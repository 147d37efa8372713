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

// Spec is site.Site's.
func (f *Fake) Spec() site.Spec { return f.Asked }

// Links is site.Site's.
func (f *Fake) Links() *site.Links { return &f.Ports }

// UPF is site.Site's.
func (f *Fake) UPF() *netdev.Namespace { return f.NS }

// OwnsUPF is site.Site's.
func (f *Fake) OwnsUPF() bool { return !f.Remote }

// Claim is site.Site's.
func (f *Fake) Claim() *host.Claim { return nil }

// Provide is site.Site's: it keeps what was asked for.
func (f *Fake) Provide(n site.Needs) error {
	f.Provided = append(f.Provided, n)
	return nil
}

// Start is site.Site's.
func (f *Fake) Start(*exec.Cmd, func() error) error { return errFake }

// Ended is site.Site's.
func (f *Fake) Ended(int) error { return nil }

// ListenN4 is site.Site's.
func (f *Fake) ListenN4(netip.AddrPort) (*net.UDPConn, error) { return nil, errFake }

// PrepareReceive is site.Site's.
func (f *Fake) PrepareReceive(site.Receive) ([]int, error) { return nil, nil }

// Usage is site.Site's.
func (f *Fake) Usage(telemetry.Subject) (telemetry.Sample, error) { return telemetry.Sample{}, nil }

// Memory is site.Site's.
func (f *Fake) Memory([]int) (uint64, error) { return 0, nil }

// OpenDrops is site.Site's.
func (f *Fake) OpenDrops() (site.Drops, error) { return fakeDrops{}, nil }

type fakeDrops struct{}

func (fakeDrops) Read() ([]telemetry.Drop, error) { return nil, nil }
func (fakeDrops) Close() error                    { return nil }

// Close is site.Site's.
func (f *Fake) Close() error { return nil }
