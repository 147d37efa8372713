package uegateway

import (
	"net/netip"

	"github.com/upflab/upflab/internal/machine/program"
)

// Program is one that runs where the UEs are, with what is set in base and the default
// UE's address unless it binds to another one's. resolver is the data network's; invalid: the machine's.
func (g *Gateway) Program(base program.Spec, resolver netip.Addr) program.Spec {
	base.Claim, base.Namespace, base.Resolver = g.cfg.Claim, g.ns, resolver
	return base
}
