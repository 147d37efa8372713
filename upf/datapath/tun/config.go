package tun

import (
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/n3socket"
)

// Config is where the packets are. Interfaces and addresses are those of the network
// namespace of the calling thread.
type Config struct {
	N3, N6    string     // interface names, which may be one
	N3Address netip.Addr // the local address of the tunnels, IPv4
	// N3Address6 is the IPv6 one; invalid where there is none.
	N3Address6 netip.Addr
	// N6Tunnels is where tunnels on N6 end; the zero value has none.
	N6Tunnels datapath.N6Tunnels
	// UEPools are the ranges of UE addresses, 1..16 of them: they are routed to
	// the device.
	UEPools []netip.Prefix
	// MaxSessions is how many sessions there is room for, 1..4194304; 0 for 65536.
	MaxSessions int
	// Device is the name of the device, which must not be there yet; when empty it is
	// upf-tun or upf-tap.
	Device string
	// Ethernet makes it a TAP device.
	Ethernet bool
	// Workers is how many threads there are, 1..64; 0: one for each CPU that the
	// calling thread may run on.
	Workers int
	// AllowNested lets UEs send GTP-U.
	AllowNested bool
	// NoECN has outer headers leave with an ECN field of 0: RFC 6040's compatibility mode.
	NoECN bool
	// PlainN3 and PlainN6 have the kernel route IP that comes in there and is
	// neither tunnelled nor a UE's. Otherwise routing rules drop it.
	PlainN3, PlainN6 bool

	threadless bool // of the kernel's threads, as where there can be none: for tests
}

const (
	defaultSessions = 1 << 16
	maxSessions     = 1 << 22
	maxPools        = 16
)

func (c Config) kind() string {
	if c.Ethernet {
		return "tap"
	}
	return "tun"
}

func (c Config) withDefaults() (Config, error) {
	if c.MaxSessions == 0 {
		c.MaxSessions = defaultSessions
	}
	if c.Device == "" {
		c.Device = "upf-" + c.kind()
	}
	if c.Workers == 0 {
		c.Workers = min(runtime.NumCPU(), n3socket.MaxWorkers)
	}
	switch {
	case c.N3 == "" || c.N6 == "":
		return c, fmt.Errorf("N3 is %q and N6 is %q: name an interface for each", c.N3, c.N6)
	case !c.N3Address.Is4():
		return c, fmt.Errorf("N3 address %v is not IPv4: give one that is", c.N3Address)
	case c.MaxSessions < 1 || c.MaxSessions > maxSessions:
		return c, fmt.Errorf("max sessions %d is not in 1..%d", c.MaxSessions, maxSessions)
	case c.Workers < 1 || c.Workers > n3socket.MaxWorkers:
		return c, fmt.Errorf("%d workers: give 1..%d", c.Workers, n3socket.MaxWorkers)
	case c.N6Tunnels.Validate() != nil:
		return c, c.N6Tunnels.Validate()
	case len(c.UEPools) < 1 || len(c.UEPools) > maxPools:
		return c, fmt.Errorf("%d UE pools: give 1..%d, which are routed to %s", len(c.UEPools), maxPools, c.Device)
	}
	return c, nil
}

// hasIPv6 reports whether UEs have IPv6 addresses.
func (c Config) hasIPv6() bool {
	return slices.ContainsFunc(c.UEPools, func(p netip.Prefix) bool { return p.Addr().Is6() })
}

// forwards checks that the kernel routes.
func (c Config) forwards() error {
	if err := isOn("IPv4", "net.ipv4.ip_forward"); err != nil || !c.hasIPv6() {
		return err
	}
	return isOn("IPv6", "net.ipv6.conf.all.forwarding")
}

func isOn(family, setting string) error {
	b, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(setting, ".", "/"))
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(b)) != "1" {
		return fmt.Errorf("the kernel does not forward %s: `sysctl -w %s=1`", family, setting)
	}
	return nil
}
