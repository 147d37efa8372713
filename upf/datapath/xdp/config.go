package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/upf/datapath"
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
	MaxLocal        = 16
	MaxInterfaces   = 7
	MaxCPUs         = 64
)

// N4 is where PFCP may come in. PFCP to Address that arrives on N3 or N6 is
// dropped, unless Interface is that interface. With the zero value nothing is
// dropped.
type N4 struct {
	Address   netip.AddrPort
	Interface string // "": neither N3 nor N6
}

// Allow opens what the programs drop otherwise.
type Allow struct {
	// Local are addresses of this machine that UEs may reach, IPv4, at most
	// MaxLocal prefixes.
	Local []netip.Prefix
	// Interfaces are those that uplink packets may leave by, besides N6; at most
	// MaxInterfaces names.
	Interfaces []string
	// PlainN3 and PlainN6 have IP that comes in there, and is neither tunnelled
	// nor a UE's, routed by the kernel.
	PlainN3, PlainN6 bool
	// Nested lets UEs send GTP-U.
	Nested bool
}

// Config says where the packets are. Interfaces and their addresses are
// those of the network namespace of the calling thread.
type Config struct {
	// N3 and N6 are interface names; the same name where one interface is both.
	N3, N6 string
	// N3Address is the local address of the tunnels. IPv4.
	N3Address netip.Addr
	// N3Address6 is the IPv6 one; invalid where there is none.
	N3Address6 netip.Addr
	// N6Tunnels is where tunnels on N6 end; the zero value has none.
	N6Tunnels datapath.N6Tunnels
	// MaxSessions is how many TEIDs, and how many UE addresses, there is room
	// for: 1..MaxSessions, 0 for DefaultSessions. About 100 octets each, and those of what sessions have.
	MaxSessions int
	// Mode is Auto when empty.
	Mode Mode
	// UEPools are the ranges of UE addresses, at most MaxPools. A packet
	// from N6 to an address in a pool that no session has is dropped. To an
	// address of this machine it is passed to the kernel.
	UEPools []netip.Prefix
	N4      N4
	Allow   Allow
	// NoECN has outer headers leave with an ECN field of 0: RFC 6040's compatibility mode.
	NoECN bool
	// CPUs are those that packets are spread among, by the TEID or the UE's address, at most
	// MaxCPUs; none: each packet is handled where its receive queue is.
	CPUs []int
	// Pins is a folder for what outlives the process; it is made, and a BPF file system
	// mounted there. Then the programs are attached by Start, and stay attached when the
	// process is killed or Leave was called before Close. Empty: nothing outlives it.
	Pins string
	// probeEvery is that of nexthop when 0: tests are less patient.
	probeEvery time.Duration
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
	case c.N3Address6.IsValid() && (!c.N3Address6.Is6() || c.N3Address6.Is4In6()):
		return fmt.Errorf("xdp: N3 address %v is not IPv6: give one that is, or none", c.N3Address6)
	case c.MaxSessions < 1 || c.MaxSessions > MaxSessions:
		return fmt.Errorf("xdp: max sessions %d is not in 1..%d", c.MaxSessions, MaxSessions)
	case c.Mode != Auto && c.Mode != Native && c.Mode != Generic:
		return fmt.Errorf("xdp: mode %q is none of auto, native, generic", c.Mode)
	case len(c.UEPools) > MaxPools:
		return fmt.Errorf("xdp: %d UE pools: at most %d, so join some", len(c.UEPools), MaxPools)
	case len(c.Allow.Local) > MaxLocal:
		return fmt.Errorf("xdp: %d local prefixes for UEs: at most %d, so join some", len(c.Allow.Local), MaxLocal)
	case len(c.Allow.Interfaces) > MaxInterfaces:
		return fmt.Errorf("xdp: %d further interfaces for uplink packets: at most %d", len(c.Allow.Interfaces), MaxInterfaces)
	}
	if err := checkCPUs(c.CPUs); err != nil {
		return err
	}
	if err := c.N6Tunnels.Validate(); err != nil {
		return fmt.Errorf("xdp: %w", err)
	}
	return c.checkPrefixes()
}

func (c Config) checkPrefixes() error {
	for _, p := range c.Allow.Local {
		if !p.Addr().Is4() {
			return fmt.Errorf("xdp: local prefix %v for UEs is not IPv4", p)
		}
	}
	return nil
}

// The bits of enum allowed in bpf/config.h.
const (
	allowPlainN3 = 1 << iota
	allowPlainN6
	allowNested
)

func (a Allow) bits() (bits uint32) {
	if a.PlainN3 {
		bits |= allowPlainN3
	}
	if a.PlainN6 {
		bits |= allowPlainN6
	}
	if a.Nested {
		bits |= allowNested
	}
	return bits
}

// configureAccess sets what the programs let through besides tunnels and UEs.
func configureAccess(spec *ebpf.CollectionSpec, cfg Config) error {
	egress, n, err := egressOf(cfg)
	if err != nil {
		return err
	}
	var local [MaxLocal]upfPool
	for i, p := range cfg.Allow.Local {
		local[i] = poolOf(p)
	}
	return errors.Join(
		spec.Variables[upfVarAllowed].Set(cfg.Allow.bits()),
		spec.Variables[upfVarLocalCount].Set(uint32(len(cfg.Allow.Local))),
		spec.Variables[upfVarLocal].Set(local),
		spec.Variables[upfVarEgressCount].Set(n),
		spec.Variables[upfVarEgress].Set(egress),
		configureN4(spec, cfg.N4),
	)
}

// egressOf lists the interfaces that uplink packets may leave by.
func egressOf(cfg Config) (all [MaxInterfaces + 1]uint32, n uint32, err error) {
	for _, name := range append([]string{cfg.N6}, cfg.Allow.Interfaces...) {
		index, err := interfaceIndex(name)
		if err != nil {
			return all, n, err
		}
		all[n] = uint32(index)
		n++
	}
	return all, n, nil
}

func configureN4(spec *ebpf.CollectionSpec, n4 N4) error {
	if !n4.Address.IsValid() {
		return nil
	}
	index, err := 0, error(nil)
	if n4.Interface != "" {
		if index, err = interfaceIndex(n4.Interface); err != nil {
			return err
		}
	}
	var port [2]byte
	binary.BigEndian.PutUint16(port[:], n4.Address.Port())
	return errors.Join(
		configureN4Address(spec, n4.Address.Addr()),
		spec.Variables[upfVarN4Port].Set(binary.NativeEndian.Uint16(port[:])),
		spec.Variables[upfVarN4Ifindex].Set(uint32(index)),
	)
}

func configureN4Address(spec *ebpf.CollectionSpec, a netip.Addr) error {
	if a.Is4() {
		return spec.Variables[upfVarN4Address].Set(wire(a))
	}
	return spec.Variables[upfVarN4Address6].Set(wire6(a.As16()))
}

func interfaceIndex(name string) (int, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return 0, fmt.Errorf("find interface %q in this network namespace: %w: see ip link", name, err)
	}
	return ifc.Index, nil
}
