// Package uelab brings up everything that an application needs to be a UE's: a DUT with
// its sessions, the UE gateway before it, and the data network behind it.
package uelab

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/datanet"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/program"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Config says what to bring up.
type Config struct {
	Scenario *scenario.Scenario
	Target   dut.Target
	Gateway  uegateway.Config // of which OpenUEs fills in what it knows
	Uplink   bool             // lead the UEs to the networks that this machine reaches
	Allow    []netip.Prefix   // and to these addresses, which Uplink refuses otherwise
	Observer interface{ Stage(target, what string) }
}

// Lab is up until it is closed.
type Lab struct {
	Claim      *host.Claim
	Deployment *bench.UEs
	Network    *datanet.Network
	Scenario   *scenario.Scenario
	Result     record.DUT // what bringing the DUT up gave: times, remarks
}

// Open brings it up, and makes sure that a UE reaches the data network. On error
// nothing is left.
func Open(ctx context.Context, c Config) (*Lab, error) {
	claim, err := host.NewClaim(host.NewRunID())
	if err != nil {
		return nil, err
	}
	l := &Lab{Claim: claim, Scenario: c.Scenario}
	if err := l.open(ctx, c); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Lab) open(ctx context.Context, c Config) error {
	placement, err := host.Place(c.Scenario.CPU)
	if err != nil {
		return err
	}
	dir, err := l.Claim.Scratch()
	if err != nil {
		return err
	}
	l.Deployment, err = bench.OpenUEs(ctx, bench.Config{
		Scenario: c.Scenario, Claim: l.Claim, Target: c.Target, Placement: placement,
		Dir: dir, Root: dir, Stage: c.Observer.Stage,
	}, c.Gateway, &l.Result)
	if err != nil {
		return explained(err, l.Result.LogTail)
	}
	c.Observer.Stage(l.Deployment.Label, "opening the data network")
	l.Network, err = datanet.Open(datanet.Config{Namespace: l.dn(), Addresses: hosts(c.Scenario), Claim: l.Claim,
		Uplink: c.Uplink, Allow: c.Allow, N6: l.Deployment.Site().Links().DNN6.Name})
	if err != nil {
		return err
	}
	c.Observer.Stage(l.Deployment.Label, "asking the data network as a UE")
	return l.reach(ctx)
}

// hosts are the addresses of the data network's host that UEs can reach: of each family that they have.
func hosts(s *scenario.Scenario) (list []netip.Addr) {
	if s.UE.Family.IPv4() {
		list = append(list, s.N6.DN)
	}
	if s.UE.Family.IPv6() {
		list = append(list, s.N6.DN6)
	}
	return list
}

// explained adds the end of a DUT's log.
func explained(err error, log string) error {
	if log == "" {
		return err
	}
	return fmt.Errorf("%w\nthe end of its log:\n%s", err, log)
}

// dn is the namespace of the data network.
func (l *Lab) dn() *netdev.Namespace { return l.Deployment.Site().Links().DNN6.NS }

// Gateway is the UE gateway.
func (l *Lab) Gateway() *uegateway.Gateway { return l.Deployment.Gateway() }

// Program is one that runs as the default UE, with the data network's names.
func (l *Lab) Program(base program.Spec) program.Spec {
	return l.Gateway().Program(base, l.Network.Resolver())
}

// Close takes everything down.
func (l *Lab) Close() error {
	var errs []error
	if l.Network != nil {
		errs = append(errs, l.Network.Close())
	}
	if l.Deployment != nil {
		errs = append(errs, l.Deployment.Close())
	}
	return errors.Join(append(errs, l.Claim.Close())...)
}
