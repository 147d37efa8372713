package nexthop

import (
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/socket/neighbour"
)

// ownAddresses are the machine's own, of one family, as the programs have them.
type ownAddresses[A comparable] struct {
	table *ebpf.Map
	known map[A]bool // what the table holds
}

// syncAddresses lists the machine's own addresses for the programs, which count drops by
// them. Where that fails such drops count as "no route".
func (r *Router) syncAddresses() {
	list, err := r.kernel.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return
	}
	four, six := map[uint32]bool{}, map[address6]bool{}
	for _, a := range list {
		if ip := a.IP.To4(); ip != nil {
			four[binary.NativeEndian.Uint32(ip)] = true
		} else if len(a.IP) == 16 {
			six[address6(a.IP)] = true
		}
	}
	r.own.replace(four)
	r.own6.replace(six)
}

func (o *ownAddresses[A]) replace(now map[A]bool) {
	for address := range o.known {
		if !now[address] {
			_ = o.table.Delete(address)
			delete(o.known, address)
		}
	}
	for address := range now {
		if !o.known[address] && o.table.Update(address, uint8(1), ebpf.UpdateAny) == nil {
			o.known[address] = true
		}
	}
}

// address6 is an IPv6 address as it is in a packet.
type address6 [16]byte

// hop6 is struct hop6 of bpf/route.h.
type hop6 struct {
	Address address6
	Link    uint64
}

// wantedSlots is WANTED_SLOTS of bpf/route.h.
const wantedSlots = 64

// resolveWanted asks the kernel to resolve the neighbours that the programs
// missed. Where that fails the programs ask again with the next packet.
func (r *Router) resolveWanted() {
	known := neighbours{}
	_ = r.programs.Unresolved.Set([wantedSlots]uint32{})
	var wanted [wantedSlots]uint32
	if r.programs.Wanted.Get(&wanted) == nil && wanted != [wantedSlots]uint32{} {
		_ = r.programs.Wanted.Set([wantedSlots]uint32{})
		for _, destination := range wanted {
			if destination != 0 {
				r.resolve(binary.NativeEndian.AppendUint32(nil, destination), known)
			}
		}
	}
	var wanted6 [wantedSlots]address6
	if r.programs.Wanted6.Get(&wanted6) == nil && wanted6 != [wantedSlots]address6{} {
		_ = r.programs.Wanted6.Set([wantedSlots]address6{})
		for _, destination := range wanted6 {
			if destination != (address6{}) {
				r.resolve(destination[:], known)
			}
		}
	}
}

// resolve sends the ARP request, or the neighbour solicitation, that the kernel would
// send for a packet.
func (r *Router) resolve(ip net.IP, known neighbours) {
	routes, err := r.kernel.RouteGet(ip)
	if err != nil || len(routes) == 0 {
		return
	}
	if gateway := routes[0].Gw; gateway != nil {
		ip = gateway
	}
	if link := routes[0].LinkIndex; !known.isResolved(r.kernel, link, ip) {
		_ = neighbour.Resolve(r.kernel, link, ip)
	}
}

// neighbours are those of links, each listed once.
type neighbours map[int][]netlink.Neigh

// isResolved reports whether the kernel has a neighbour's address. Asking for a permanent entry would
// make it an ordinary one.
func (known neighbours) isResolved(kernel *netlink.Handle, link int, ip net.IP) bool {
	list, ok := known[link]
	if !ok {
		var err error
		if list, err = kernel.NeighList(link, netlink.FAMILY_ALL); err != nil {
			return false
		}
		known[link] = list
	}
	const valid = neighbour.Resolved | netlink.NUD_NOARP
	return slices.ContainsFunc(list, func(n netlink.Neigh) bool { return n.IP.Equal(ip) && n.State&valid != 0 })
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
func (r *Router) probeUsed(now time.Time) {
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
func (r *Router) probe(n *netlink.Neigh, due map[nextHop]bool) {
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
func (r *Router) dueProbes(now time.Time) map[nextHop]bool {
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
func (r *Router) takeUsed() map[nextHop]bool {
	hops := map[nextHop]bool{}
	var used [usedSlots]uint64
	if r.programs.Used.Get(&used) == nil {
		_ = r.programs.Used.Set([usedSlots]uint64{})
	}
	for _, note := range used {
		if note != 0 {
			var b [4]byte
			binary.NativeEndian.PutUint32(b[:], uint32(note))
			hops[nextHop{int(note >> 32), netip.AddrFrom4(b)}] = true
		}
	}
	var used6 [usedSlots]hop6
	if r.programs.Used6.Get(&used6) == nil {
		_ = r.programs.Used6.Set([usedSlots]hop6{})
	}
	for _, note := range used6 {
		if note.Link != 0 {
			hops[nextHop{int(note.Link), netip.AddrFrom16(note.Address)}] = true
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
