package xdp

import (
	"encoding/binary"
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
	address [4]byte
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
		neighbours, err := r.kernel.NeighList(link, netlink.FAMILY_V4)
		if err != nil {
			continue
		}
		for i := range neighbours {
			r.probe(&neighbours[i], due)
		}
	}
}

// probe sends a unicast ARP request. Packets use the entry meanwhile. Without an
// answer it fails, and the next packet has it resolved anew.
func (r *router) probe(n *netlink.Neigh, due map[nextHop]bool) {
	const settled = netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY
	ip := n.IP.To4()
	if ip == nil || n.State&settled == 0 || !due[nextHop{n.LinkIndex, [4]byte(ip)}] {
		return
	}
	_ = r.kernel.NeighSet(&netlink.Neigh{
		LinkIndex: n.LinkIndex, IP: ip, HardwareAddr: n.HardwareAddr, State: netlink.NUD_PROBE,
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
	var used [usedSlots]uint64
	if r.used.Get(&used) != nil {
		return nil
	}
	_ = r.used.Set([usedSlots]uint64{})
	hops := map[nextHop]bool{}
	for _, note := range used {
		if note != 0 {
			hop := nextHop{link: int(note >> 32)}
			binary.NativeEndian.PutUint32(hop.address[:], uint32(note))
			hops[hop] = true
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
