package uegateway

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// Gateway is open until it is closed. What it made is on the run's list: a killed run's
// gateway is removed with the run.
type Gateway struct {
	cfg  Config
	ns   *netdev.Namespace
	ue   netdev.Port // in the UEs' namespace
	gnb  netdev.Port // its other end, with the gNB
	n3   netdev.Port
	prog gatewayObjects

	index map[netip.Addr]int // of cfg.UEs, by what they are known by

	undo      []func() error // what was changed in the gNB's namespace, in the order of the doing
	signalled *signalling    // nil: Plain
}

// Open makes the UEs' namespace and attaches the gNB to N3. The site's UPF may be up or
// not. On error nothing is left.
func Open(c Config) (*Gateway, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	g := &Gateway{cfg: c, n3: c.Site.Links().GNB}
	if g.index, err = c.indexed(); err != nil {
		return nil, err
	}
	if err := g.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the UE gateway: %w", err), g.Close())
	}
	return g, nil
}

func (g *Gateway) open() error {
	if err := g.makeNamespace(); err != nil {
		return err
	}
	if err := g.makeLink(); err != nil {
		return err
	}
	if g.cfg.Plain {
		return g.routePlain()
	}
	if err := g.load(); err != nil {
		return err
	}
	if err := g.Set(g.cfg.UEs...); err != nil {
		return err
	}
	if err := g.attach(); err != nil {
		return err
	}
	return g.listen()
}

// Namespace is where the UEs are.
func (g *Gateway) Namespace() *netdev.Namespace { return g.ns }

// UEs are the sessions, as they are now; UE i of the user is i-1 here.
func (g *Gateway) UEs() []UE { return g.cfg.UEs }

// Default is the UE that programs are which choose no address: an index into UEs.
func (g *Gateway) Default() int { return g.cfg.Default }

// MTU of the UEs' interface, octets.
func (g *Gateway) MTU() int { return g.cfg.MTU }

// Port is the UEs' interface.
func (g *Gateway) Port() netdev.Port { return g.ue }

// Close takes the gateway down and ends all programs in the UEs' namespace.
func (g *Gateway) Close() error {
	var errs []error
	if g.signalled != nil {
		errs = append(errs, g.signalled.close())
	}
	for i := len(g.undo) - 1; i >= 0; i-- {
		errs = append(errs, g.undo[i]())
	}
	if g.prog.FromUe != nil {
		errs = append(errs, g.prog.Close())
	}
	if g.ns != nil {
		errs = append(errs, g.removeNamespace())
	}
	return errors.Join(errs...)
}

func (g *Gateway) removeNamespace() error {
	_, err := host.EndInside(g.ns.Name)
	if failed := g.ns.Close(); failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, g.cfg.Claim.DropNamespace(g.ns.Name))
}
