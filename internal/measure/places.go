package measure

import (
	"sort"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// side says whose loss a place is.
type side int

const (
	placeLink side = iota // in front of the DUT
	placeDUT              // inside it
	placeSink             // in front of our own receiver
)

// place is a counter of lost packets.
type place struct {
	name    string
	side    side
	packets uint64
	// program marks the count of an XDP program's drops, which the DUT's own
	// counters tell apart by reason.
	program bool
	// redirect marks frames that an XDP program could not redirect, which the device
	// counts once more, with those for which its ring had no room.
	redirect bool
	queue    bool // it counts what found a queue full
}

// counters are totals at one moment.
type counters []place

// counters reads every place where a packet of the direction can get lost.
func (b *bench) counters(d record.Direction) (counters, error) {
	full, err := b.ringDrops()
	if err != nil {
		return nil, err
	}
	c := counters{{name: "receive ring of the sink (packet socket)", side: placeSink, packets: full}}
	for _, way := range d.Ways() {
		ports, err := b.portCounters(way)
		if err != nil {
			return nil, err
		}
		c = c.add(ports)
	}
	kernel, err := b.drops.Read()
	if err != nil {
		return nil, err
	}
	c = append(c, kernelPlaces(kernel)...)
	return append(c, b.own()...), nil
}

// add adds the counts of places of the same name.
func (c counters) add(more counters) counters {
next:
	for _, p := range more {
		for i := range c {
			if c[i].name == p.name {
				c[i].packets += p.packets
				continue next
			}
		}
		c = append(c, p)
	}
	return c
}

// portCounters reads the ports on the way of uplink or downlink packets.
func (b *bench) portCounters(d record.Direction) (counters, error) {
	c, err := b.lostInRings(d)
	if err != nil {
		return nil, err
	}
	in := b.site.Links().Path(d).UPF
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
	return c.add(counters{
		{name: ringOfUPF, side: placeLink, packets: missed + sum(taken, "_drops", "_xdp_drops")},
		{name: "XDP program of the UPF: drop", side: placeDUT, packets: sum(taken, "_xdp_drops"), program: true},
	}), nil
}

// own are the DUT's own counters. A DUT that is too busy to tell them has none:
// what it lost is then unplaced.
func (b *bench) own() []place {
	counts, err := b.instance.Drops()
	if err != nil {
		return nil
	}
	var list []place
	for _, o := range counts {
		list = append(list, place{name: o.Place, side: placeDUT, packets: o.Packets})
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

// places is what was counted between two readings, with an XDP program's drops
// less those that the DUT gives a reason for, and the ring's less those that an XDP
// program could not redirect.
func places(before, after counters) []place {
	old := map[string]uint64{}
	for _, p := range before {
		old[p.name] = p.packets
	}
	var out []place
	var reasons, redirected uint64
	for _, p := range after {
		if p.packets <= old[p.name] {
			continue
		}
		p.packets -= old[p.name]
		if p.side == placeDUT && !p.program {
			reasons += p.packets
		}
		if p.redirect {
			redirected += p.packets
		}
		out = append(out, p)
	}
	for i := range out {
		if out[i].program {
			out[i].packets -= min(out[i].packets, reasons)
		}
		if out[i].name == ringOfUPF {
			out[i].packets -= min(out[i].packets, redirected)
		}
	}
	return out
}

func total(places []place, s side) (n uint64) {
	for _, p := range places {
		if p.side == s {
			n += p.packets
		}
	}
	return n
}

// overflown is what queues inside the DUT had no room for.
func overflown(places []place) (n uint64) {
	for _, p := range places {
		if p.side == placeDUT && p.queue {
			n += p.packets
		}
	}
	return n
}

// placed lists where the lost packets went and how many of them no counter
// explains.
func placed(places []place, lost uint64) (list []record.Count, unplaced uint64) {
	var known uint64
	for _, p := range places {
		if p.packets == 0 {
			continue
		}
		known += p.packets
		list = append(list, record.Count{Place: p.name, Packets: p.packets})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Packets > list[j].Packets })
	if lost > known {
		unplaced = lost - known
	}
	return list, unplaced
}
