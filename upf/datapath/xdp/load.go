package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"
)

// load puts programs and maps, sized and configured, into the kernel.
func load(cfg Config, p *pins, objects *upfObjects) error {
	spec, err := loadUpf()
	if err != nil {
		return fmt.Errorf("xdp: read the embedded BPF object: %w", err)
	}
	if err := errors.Join(configure(spec, cfg), configureSpread(spec, cfg.CPUs)); err != nil {
		return fmt.Errorf("xdp: configure the BPF object: %w", err)
	}
	// Needed before Linux 5.11 only; where it is refused and needed, loading
	// says so.
	_ = rlimit.RemoveMemlock()
	options := p.share(spec)
	names := chainsSize(uint32(tableSize(cfg.MaxSessions)))
	err = errors.Join(p.openNames(names), spec.LoadAndAssign(objects, &options))
	if errors.Is(err, ebpf.ErrMapIncompatible) { // of another version, or max_sessions
		p.forget()
		err = errors.Join(p.openNames(names), spec.LoadAndAssign(objects, &options))
	}
	if err != nil {
		return explainLoad(err)
	}
	return nil
}

func configure(spec *ebpf.CollectionSpec, cfg Config) error {
	size := uint32(tableSize(cfg.MaxSessions))
	spec.Maps[upfMapUplinkRules].MaxEntries = size
	spec.Maps[upfMapDownlinkRules].MaxEntries = size
	spec.Maps[upfMapUplinkRules6].MaxEntries = size
	spec.Maps[upfMapDownlinkRules6].MaxEntries = size
	spec.Maps[upfMapChains].MaxEntries = pagesFor(rowsSize(size))
	spec.Maps[upfMapChains6].MaxEntries = chainsSize(size)/blockPageEntries + 1
	spec.Maps[upfMapMeters].MaxEntries = pagesFor(chainsSize(size))
	spec.Maps[upfMapUsages].MaxEntries = pagesFor(chainsSize(size))
	spec.Maps[upfMapLimits].MaxEntries = pagesFor(chainsSize(size))
	return errors.Join(
		spec.Variables[upfVarN3Address].Set(wire(cfg.N3Address)),
		spec.Variables[upfVarOuterSum].Set(outerSum(cfg.N3Address.As4())),
		configureOuter6(spec, cfg.N3Address6),
		configureDirect(spec, cfg),
		configureN6(spec, cfg.N6Tunnels),
		configurePools(spec, cfg.UEPools),
		configureAccess(spec, cfg),
		spec.Variables[upfVarEcnMask].Set(ecnMask(cfg.NoECN)),
	)
}

// ecnMask is what outer headers have of a T-PDU's ECN field.
func ecnMask(none bool) uint8 {
	if none {
		return 0
	}
	return 3
}

// wire gives an IPv4 address as the programs read it from a packet.
func wire(a netip.Addr) uint32 {
	b := a.As4()
	return binary.NativeEndian.Uint32(b[:])
}

func poolOf(p netip.Prefix) upfPool {
	var mask [4]byte
	binary.BigEndian.PutUint32(mask[:], ^uint32(0)<<(32-p.Bits()))
	return upfPool{Address: wire(p.Masked().Addr()), Mask: binary.NativeEndian.Uint32(mask[:])}
}

// configurePools sets the pools of both families.
func configurePools(spec *ebpf.CollectionSpec, prefixes []netip.Prefix) error {
	var four [MaxPools]upfPool
	var six [MaxPools]upfPool6
	var n, m uint32
	for _, p := range prefixes {
		if p.Addr().Is4() {
			four[n] = poolOf(p)
			n++
			continue
		}
		six[m].Address, six[m].Mask = wirePrefix6(p)
		m++
	}
	return errors.Join(
		spec.Variables[upfVarPoolCount].Set(n), spec.Variables[upfVarPools].Set(four),
		spec.Variables[upfVarPool6Count].Set(m), spec.Variables[upfVarPools6].Set(six),
	)
}

// explainLoad says in one or two lines why the kernel refused.
func explainLoad(err error) error {
	var refused *ebpf.VerifierError
	switch {
	case errors.As(err, &refused) && len(refused.Log) > 0:
		return fmt.Errorf("xdp: the verifier of Linux %s refused a program: %w: %s (Linux 6.1 or later is supported)",
			kernelRelease(), refused.Cause, lastLines(refused.Log, 3))
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("xdp: load BPF: %w: run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON", err)
	}
	return fmt.Errorf("xdp: load BPF on Linux %s (6.1 or later is supported): %w", kernelRelease(), err)
}

// lastLines joins the last n lines of a verifier log, its statistics left out.
func lastLines(log []string, n int) string {
	var kept []string
	for _, line := range log {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "processed ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-n):], "; ")
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "of unknown release"
	}
	return unix.ByteSliceToString(u.Release[:])
}
