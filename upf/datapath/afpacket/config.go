package afpacket

import (
	"fmt"
	"net/netip"
	"runtime"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/suppress"
)

// Config is where the packets are. Interfaces and addresses are those of the network
// namespace of the calling thread.
type Config struct {
	N3, N6    string     // interface names, which differ
	N3Address netip.Addr // the local address of the tunnels, IPv4
	// N3Address6 is the IPv6 one; invalid where there is none.
	N3Address6 netip.Addr
	// N6Tunnels is where tunnels on N6 end; the zero value has none.
	N6Tunnels datapath.N6Tunnels
	// UEPools are the ranges of UE addresses, 1..16 of them: the UPF takes what N6
	// sends there from the kernel.
	UEPools []netip.Prefix
	// MaxSessions is how many sessions there is room for, 1..4194304; 0 for 65536.
	MaxSessions int
	// Workers is how many threads there are, 1..MaxWorkers; 0: one for each CPU that the
	// calling thread may run on.
	Workers int
	// AllowNested lets UEs send GTP-U.
	AllowNested bool
	// NoECN has outer headers leave with an ECN field of 0: RFC 6040's compatibility mode.
	NoECN bool
}

// MaxWorkers is the most threads that there are.
const MaxWorkers = 64

const (
	defaultSessions = 1 << 16
	maxSessions     = 1 << 22
)

func (c Config) withDefaults() (Config, error) {
	if c.MaxSessions == 0 {
		c.MaxSessions = defaultSessions
	}
	if c.Workers == 0 {
		c.Workers = min(runtime.NumCPU(), MaxWorkers)
	}
	switch {
	case c.N3 == "" || c.N6 == "" || c.N3 == c.N6:
		return c, fmt.Errorf("N3 is %q and N6 is %q: name two interfaces", c.N3, c.N6)
	case !c.N3Address.Is4():
		return c, fmt.Errorf("N3 address %v is not IPv4: give one that is", c.N3Address)
	case c.MaxSessions < 1 || c.MaxSessions > maxSessions:
		return c, fmt.Errorf("max sessions %d is not in 1..%d", c.MaxSessions, maxSessions)
	case c.Workers < 1 || c.Workers > MaxWorkers:
		return c, fmt.Errorf("%d workers: give 1..%d", c.Workers, MaxWorkers)
	case c.N6Tunnels.Validate() != nil:
		return c, c.N6Tunnels.Validate()
	case len(c.UEPools) < 1 || len(c.UEPools) > suppress.MaxPools:
		return c, fmt.Errorf("%d UE pools: give 1..%d, so that the kernel leaves the UEs' packets alone", len(c.UEPools), suppress.MaxPools)
	}
	return c, nil
}
