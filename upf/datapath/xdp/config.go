package xdp

import (
	"fmt"
	"net/netip"
)

// Mode is how the programs are attached.
type Mode string

// The modes. Auto is native where both drivers can, else generic.
const (
	Auto    Mode = "auto"
	Native  Mode = "native"
	Generic Mode = "generic"
)

// Limits of a Config.
const (
	DefaultSessions = 1 << 16
	MaxSessions     = 1 << 22
	MaxPools        = 16
)

// Config tells Open where the packets are. Interfaces and their addresses are
// those of the network namespace of the calling thread.
type Config struct {
	// N3 and N6 are interface names; the same name where one interface is both.
	N3, N6 string
	// N3Address is the local address of the tunnels. IPv4.
	N3Address netip.Addr
	// MaxSessions is how many TEIDs, and how many UE addresses, there is room
	// for: 1..MaxSessions, 0 for DefaultSessions. About 200 octets each.
	MaxSessions int
	// Mode is Auto when empty.
	Mode Mode
	// UEPools are the ranges of UE addresses, at most MaxPools, IPv4. A packet
	// from N6 to an address in a pool that no session has is dropped; to any
	// other address it is passed to the kernel.
	UEPools []netip.Prefix
}

// withDefaults returns the config with its zero values filled in, or what is
// wrong with it.
func (c Config) withDefaults() (Config, error) {
	if c.MaxSessions == 0 {
		c.MaxSessions = DefaultSessions
	}
	if c.Mode == "" {
		c.Mode = Auto
	}
	return c, c.check()
}

func (c Config) check() error {
	switch {
	case c.N3 == "" || c.N6 == "":
		return fmt.Errorf("xdp: N3 is %q and N6 is %q: name both interfaces", c.N3, c.N6)
	case !c.N3Address.Is4():
		return fmt.Errorf("xdp: N3 address %v is not IPv4: give one that is", c.N3Address)
	case c.MaxSessions < 1 || c.MaxSessions > MaxSessions:
		return fmt.Errorf("xdp: max sessions %d is not in 1..%d", c.MaxSessions, MaxSessions)
	case c.Mode != Auto && c.Mode != Native && c.Mode != Generic:
		return fmt.Errorf("xdp: mode %q is none of auto, native, generic", c.Mode)
	case len(c.UEPools) > MaxPools:
		return fmt.Errorf("xdp: %d UE pools: at most %d, so join some", len(c.UEPools), MaxPools)
	}
	for _, p := range c.UEPools {
		if !p.Addr().Is4() {
			return fmt.Errorf("xdp: UE pool %v is not IPv4", p)
		}
	}
	return nil
}
