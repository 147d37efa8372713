package xdp

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/vishvananda/netlink"
)

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
