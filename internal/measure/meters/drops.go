package meters

import (
	"fmt"
	"sort"
	"strings"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
)

// Drop is a counter of lost packets.
type Drop struct {
	Place   record.Place
	Side    record.Side
	Packets uint64
	Queue   bool // it counts what found a queue full
	// program marks the count of an XDP program's drops, which the DUT's own
	// counters divide by reason.
	program bool
	// redirect marks frames that an XDP program could not redirect, which the device
	// counts once more, with those for which its ring had no room.
	redirect bool
}

// Counters are totals at one moment.
type Counters []Drop

// Counters reads every place where a packet of the direction can get lost.
func (mt *Meters) Counters(d record.Direction) (Counters, error) {
	full, err := mt.engine.RingDrops()
	if err != nil {
		return nil, err
	}
	c := Counters{{Place: record.PlaceSinkSocket, Side: record.SideSink, Packets: full}}
	for _, way := range d.Each() {
		ports, err := mt.portCounters(way)
		if err != nil {
			return nil, err
		}
		c = c.add(ports)
	}
	kernel, err := mt.drops.Read()
	if err != nil {
		return nil, err
	}
	c = append(c, kernelDrops(kernel)...)
	return append(c, mt.own()...), nil
}

// add adds the counts of places of the same name.
func (c Counters) add(more Counters) Counters {
next:
	for _, p := range more {
		for i := range c {
			if c[i].Place == p.Place {
				c[i].Packets += p.Packets
				continue next
			}
		}
		c = append(c, p)
	}
	return c
}

// portCounters reads the ports on the way of uplink or downlink packets.
func (mt *Meters) portCounters(d record.Direction) (Counters, error) {
	c, err := mt.lostInRings(d)
	if err != nil {
		return nil, err
	}
	in := mt.site.Links().Path(d).UPF
	if !in.Readable() {
		return c, nil
	}
	taken, err := in.Stats()
	if err != nil {
		return nil, err
	}
	missed, err := in.Missed()
	if err != nil {
		return nil, err
	}
	return c.add(Counters{
		{Place: record.PlaceUPFRing, Side: record.SideLink, Packets: missed + sum(taken, "_drops", "_xdp_drops")},
		{Place: record.PlaceUPFProgram, Side: record.SideDUT, Packets: sum(taken, "_xdp_drops"), program: true},
	}), nil
}

// own are the DUT's own counters. A DUT that is too busy to report them has none:
// what it lost is then unattributed.
func (mt *Meters) own() []Drop {
	if mt.instance.Drops == nil {
		return nil
	}
	counts, err := mt.instance.Drops()
	if err != nil {
		return nil
	}
	var list []Drop
	for _, o := range counts {
		list = append(list, Drop{Place: o.Place, Side: record.SideDUT, Packets: o.Packets})
	}
	return list
}

func opposite(d record.Direction) record.Direction {
	if d == record.Uplink {
		return record.Downlink
	}
	return record.Uplink
}

// sum adds the counters of all queues whose name ends so, but not in one of the
// longer endings.
func sum(stats map[string]uint64, ending string, but ...string) (n uint64) {
next:
	for name, v := range stats {
		if !strings.HasSuffix(name, ending) {
			continue
		}
		for _, b := range but {
			if strings.HasSuffix(name, b) {
				continue next
			}
		}
		n += v
	}
	return n
}

// Between is what was counted between two readings, with an XDP program's drops
// less those that the DUT gives a reason for, and the ring's less those that an XDP
// program could not redirect.
func Between(before, after Counters) []Drop {
	old := map[record.Place]uint64{}
	for _, p := range before {
		old[p.Place] = p.Packets
	}
	var out []Drop
	var reasons, redirected uint64
	for _, p := range after {
		if p.Packets <= old[p.Place] {
			continue
		}
		p.Packets -= old[p.Place]
		if p.Side == record.SideDUT && !p.program {
			reasons += p.Packets
		}
		if p.redirect {
			redirected += p.Packets
		}
		out = append(out, p)
	}
	for i := range out {
		if out[i].program {
			out[i].Packets -= min(out[i].Packets, reasons)
		}
		if out[i].Place == record.PlaceUPFRing {
			out[i].Packets -= min(out[i].Packets, redirected)
		}
	}
	return out
}

// Total is what was lost at a side.
func Total(drops []Drop, s record.Side) (n uint64) {
	for _, p := range drops {
		if p.Side == s {
			n += p.Packets
		}
	}
	return n
}

// Overflown is what queues inside the DUT had no room for.
func Overflown(drops []Drop) (n uint64) {
	for _, p := range drops {
		if p.Side == record.SideDUT && p.Queue {
			n += p.Packets
		}
	}
	return n
}

// Attributed lists where the lost packets went and how many of them no counter
// explains.
func Attributed(drops []Drop, lost uint64) (list []record.Count, unattributed uint64) {
	var known uint64
	for _, p := range drops {
		if p.Packets == 0 {
			continue
		}
		known += p.Packets
		list = append(list, record.Count{Place: p.Place, Side: p.Side, Packets: p.Packets})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Packets > list[j].Packets })
	if lost > known {
		unattributed = lost - known
	}
	return list, unattributed
}

// kernelDrops are what the kernel lost around the UPF, without what the rings of the
// links have counted already: the kernel books what a veth has no room for on the
// namespace that was to get it.
func kernelDrops(lost []telemetry.Drop) (list []Drop) {
	const vethTransmit = "veth_xmit"
	for _, c := range lost {
		if c.Function == vethTransmit {
			continue
		}
		list = append(list, Drop{Place: record.PlaceKernelPrefix + c.Place, Side: record.SideDUT, Packets: c.Packets,
			program: c.XDP, redirect: c.Redirect, Queue: fullQueues[c.Place]})
	}
	return list
}

// fullQueues are the kernel's reasons that mean a queue without room: its drop
// reasons (enum skb_drop_reason), and the names of its counters.
var fullQueues = map[record.Place]bool{
	"socket rcvbuff": true, "full ring": true, "qdisc drop": true, "packet sock error": true, "cpu backlog": true,
	"proto mem": true, "UDP socket buffer full": true,
}

// ring is a receive ring, counted where it is sent to.
type ring struct {
	sender netdev.Port
	place  record.Place
	side   record.Side
}

// rings are the receive rings that a direction's packets cross: what is between
// the ends of a link has one of its own.
func (mt *Meters) rings(d record.Direction) []ring {
	in, out := mt.site.Links().Path(d), mt.site.Links().Path(opposite(d))
	before, behind := mt.site.Links().Bridges(d)
	list := []ring{{in.Send, record.PlaceUPFRing, record.SideLink}}
	if before != nil {
		list = []ring{{in.Send, record.PlaceBridgeBefore, record.SideLink}, {before.UPF, record.PlaceUPFRing, record.SideLink}}
	}
	if !out.UPF.Readable() {
		return list
	}
	if behind == nil {
		return append(list, ring{out.UPF, record.PlaceSinkRing, record.SideSink})
	}
	return append(list, ring{out.UPF, record.PlaceBridgeBehind, record.SideSink}, ring{behind.Tester, record.PlaceSinkRing, record.SideSink})
}

// lostInRings counts what found them full.
func (mt *Meters) lostInRings(d record.Direction) (c Counters, err error) {
	for _, r := range mt.rings(d) {
		if !r.sender.Readable() {
			continue // of another host
		}
		n, err := r.sender.TxDropped()
		if err != nil {
			return nil, err
		}
		c = append(c, Drop{Place: r.place, Side: r.side, Packets: n})
	}
	return c, nil
}

// LostBetween says where packets were lost between two readings: counters began long before.
func LostBetween(before, after Counters, linkDown bool) (words []string) {
	lost := Between(before, after)
	if linkDown {
		atLinksDown(lost)
	}
	for _, at := range lost {
		words = append(words, fmt.Sprintf("%s: %d", at.Place, at.Packets))
	}
	return words
}
