package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"
	"github.com/vishvananda/netlink"
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
		return fmt.Errorf("xdp: the verifier of Linux %s refused a program: %w: %s (Linux 6.12 and 6.18 take it: boot one of them, or take the datapath afpacket)",
			kernelRelease(), refused.Cause, lastLines(refused.Log, 3))
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("xdp: load BPF: %w: run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON", err)
	}
	return fmt.Errorf("xdp: load BPF on Linux %s (6.12 and 6.18 take it; the datapath afpacket needs less): %w", kernelRelease(), err)
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

// usedSlots is USED_SLOTS of bpf/route.h.
const usedSlots = 256

// probePeriod is how often a next hop in use is asked whether it still has its
// MAC address. The kernel does that for the packets it sends itself; those that
// a program redirects do not count as use, and the entry would stay STALE.
// A change is noticed after this and the kernel's three unanswered probes, one a
// second.
const probePeriod = 5 * time.Second

// nextHop is a neighbour as the programs note it.
type nextHop struct {
	link    int
	address netip.Addr
}

// probes remembers when a next hop in use was last probed.
type probes struct {
	every time.Duration
	last  map[nextHop]time.Time
}

// probeUsed has the kernel probe the next hops that packets were sent to since
// the last call, each once in a period.
func (r *router) probeUsed(now time.Time) {
	due := r.dueProbes(now)
	for link := range linksOf(due) {
		neighbours, err := r.kernel.NeighList(link, netlink.FAMILY_ALL)
		if err != nil {
			continue
		}
		for i := range neighbours {
			r.probe(&neighbours[i], due)
		}
	}
}

// probe sends a unicast ARP request, or a neighbour solicitation. Packets use the entry meanwhile. Without an
// answer it fails, and the next packet has it resolved anew.
func (r *router) probe(n *netlink.Neigh, due map[nextHop]bool) {
	const settled = netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY
	ip, ok := netip.AddrFromSlice(n.IP)
	if !ok || n.State&settled == 0 || !due[nextHop{n.LinkIndex, ip.Unmap()}] {
		return
	}
	_ = r.kernel.NeighSet(&netlink.Neigh{
		LinkIndex: n.LinkIndex, IP: n.IP, HardwareAddr: n.HardwareAddr, State: netlink.NUD_PROBE,
	})
}

// dueProbes takes the programs' notes and gives those not probed for a period.
func (r *router) dueProbes(now time.Time) map[nextHop]bool {
	for hop, last := range r.probes.last {
		if now.Sub(last) >= r.probes.every {
			delete(r.probes.last, hop)
		}
	}
	due := map[nextHop]bool{}
	for hop := range r.takeUsed() {
		if _, recent := r.probes.last[hop]; !recent {
			due[hop] = true
			r.probes.last[hop] = now
		}
	}
	return due
}

// takeUsed reads and clears the notes. Two next hops can share a slot; then the
// one noted last is probed now and the other another time.
func (r *router) takeUsed() map[nextHop]bool {
	hops := map[nextHop]bool{}
	var used [usedSlots]uint64
	if r.used.Get(&used) == nil {
		_ = r.used.Set([usedSlots]uint64{})
	}
	for _, note := range used {
		if note != 0 {
			var b [4]byte
			binary.NativeEndian.PutUint32(b[:], uint32(note))
			hops[nextHop{int(note >> 32), netip.AddrFrom4(b)}] = true
		}
	}
	var used6 [usedSlots]upfHop6
	if r.used6.Get(&used6) == nil {
		_ = r.used6.Set([usedSlots]upfHop6{})
	}
	for _, note := range used6 {
		if note.Ifindex != 0 {
			hops[nextHop{int(note.Ifindex), netip.AddrFrom16(octets6(note.Address))}] = true
		}
	}
	return hops
}

func linksOf(hops map[nextHop]bool) map[int]bool {
	links := map[int]bool{}
	for hop := range hops {
		links[hop.link] = true
	}
	return links
}
