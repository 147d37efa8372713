package xdp

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/socket/openfiles"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/xdp/pages"
	"github.com/upflab/upflab/upf/datapath/xdp/pin"
)

// load puts programs and maps, sized and configured, into the kernel.
func load(cfg Config, p *pin.Folder, objects *upfObjects) error {
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
	options := p.Share(spec)
	names := chainsSize(uint32(tableSize(cfg.MaxSessions)))
	err = errors.Join(p.OpenNames(names), spec.LoadAndAssign(objects, &options))
	if errors.Is(err, ebpf.ErrMapIncompatible) { // of another version, or max_sessions
		p.Forget()
		err = errors.Join(p.OpenNames(names), spec.LoadAndAssign(objects, &options))
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
	spec.Maps[upfMapChains].MaxEntries = pages.For(rowsSize(size))
	spec.Maps[upfMapChains6].MaxEntries = chainsSize(size)/blockPageEntries + 1
	spec.Maps[upfMapMeters].MaxEntries = pages.For(chainsSize(size))
	spec.Maps[upfMapUsages].MaxEntries = pages.For(chainsSize(size))
	spec.Maps[upfMapLimits].MaxEntries = pages.For(chainsSize(size))
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

// tableSize is a map's size: what a batch adds is there before what it removes
// goes. With a million sessions it stays below a power of two, by which the kernel makes the
// buckets of its hash maps.
func tableSize(sessions int) int { return sessions + batchRoom }

// batchRoom is how many keys a batch may add before others go.
const batchRoom = 1 << 12

// ecnMask is what outer headers have of a T-PDU's ECN field.
func ecnMask(none bool) uint8 {
	if none {
		return 0
	}
	return 3
}

// outerTTL is OUTER_TTL of bpf/outer6.h.
const outerTTL = 64

// outerSum adds up the 16-bit words of the outer IPv4 header that are the same
// in every packet, in host order and unfolded (RFC 1071). The program adds
// length, identification and destination.
func outerSum(source [4]byte) uint32 {
	header := [20]byte{0: 0x45, 8: outerTTL, 9: 17}
	copy(header[12:16], source[:])
	return uint32(checksum.Sum(header[:]))
}

// configureN6 has the programs take tunnels on N6, where it has addresses for them.
func configureN6(spec *ebpf.CollectionSpec, n datapath.N6Tunnels) error {
	if !n.Any() {
		return nil
	}
	errs := []error{
		spec.Variables[upfVarN6Tunnels].Set(uint32(1)),
		spec.Variables[upfVarN6Port].Set(n.Port<<8 | n.Port>>8),
	}
	if n.Address.IsValid() {
		errs = append(errs, spec.Variables[upfVarN6Address].Set(wire(n.Address)))
	}
	if n.Address6.IsValid() {
		spec.Maps[upfMapPeers6].MaxEntries = maxPeers
		errs = append(errs, spec.Variables[upfVarN6Address6].Set(wire6(n.Address6.As16())))
	}
	return errors.Join(errs...)
}

// configureOuter6 has the programs take tunnels over IPv6, where N3 has an address.
func configureOuter6(spec *ebpf.CollectionSpec, address netip.Addr) error {
	if !address.IsValid() {
		return nil
	}
	spec.Maps[upfMapPeers6].MaxEntries = maxPeers
	return errors.Join(
		spec.Variables[upfVarOuter6].Set(uint32(1)),
		spec.Variables[upfVarN3Address6].Set(wire6(address.As16())),
	)
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

// Try loads the programs, with all that they can do, and lets them go. The error says why this kernel does not
// take them; it is unix.EPERM where the caller may not load programs.
func Try() error {
	spec, err := loadUpf()
	if err != nil {
		return fmt.Errorf("xdp: read the embedded BPF object: %w", err)
	}
	var objects upfObjects
	err = errors.Join(spec.Variables[upfVarOuter6].Set(uint32(1)), spec.Variables[upfVarN6Tunnels].Set(uint32(1)))
	if err != nil {
		return fmt.Errorf("xdp: configure the BPF object: %w", err)
	}
	_ = rlimit.RemoveMemlock() // as load
	if err := spec.LoadAndAssign(&objects, nil); err != nil {
		return explainLoad(err)
	}
	return objects.Close()
}

// Tried are the kernels that are known to take the programs.
const Tried = "6.1, 6.12 and 6.18"

// explainLoad says in one or two lines why the kernel refused.
func explainLoad(err error) error {
	var refused *ebpf.VerifierError
	few := openfiles.Check()
	switch {
	case few != nil:
		return fmt.Errorf("xdp: load BPF: %w: %w", few, err)
	case errors.As(err, &refused) && len(refused.Log) > 0:
		return fmt.Errorf("xdp: the verifier of Linux %s refused a program: %w: %s (Linux %s take the programs of a release: "+
			"where you changed none, report it, and use the datapath afpacket)",
			kernelRelease(), refused.Cause, lastLines(refused.Log, 3), Tried)
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("xdp: load BPF: %w: run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON", err)
	}
	return fmt.Errorf("xdp: load BPF on Linux %s: %w (the datapath xdp needs Linux 5.18 or later; use afpacket)", kernelRelease(), err)
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
