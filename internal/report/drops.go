package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// dropRow says where the packets of one trial went, all repeats together.
type dropRow struct {
	DUT             string
	Color           string
	Direction, Load string
	Lost            uint64 // sent less received, wrong ones included
	Places          []place
}

// LostText writes Lost.
func (d dropRow) LostText() string { return count(d.Lost) }

// place is one spot that took packets.
type place struct {
	Name    string
	Packets uint64
	Share   float64 // of what was lost, 0..1
}

// drops lists the trials that lost packets.
func (v view) drops() []dropRow {
	var rows []dropRow
	for _, d := range v.DUTs {
		for _, r := range d.Rows {
			if one := dropsOf(d, r.group); one.Lost > 0 || len(one.Places) > 0 {
				rows = append(rows, one)
			}
		}
	}
	return rows
}

func dropsOf(d dutView, g group) dropRow {
	row := dropRow{DUT: d.Label, Color: d.Color, Direction: d.where(g), Load: row{group: g, Load: g.Load}.name()}
	sums := map[string]uint64{}
	for _, t := range g.All {
		row.Lost += t.TxPackets - min(t.RxPackets, t.TxPackets)
		addPlaces(sums, t)
	}
	row.Places = places(sums, row.Lost)
	return row
}

func addPlaces(sums map[string]uint64, t *record.Trial) {
	for _, d := range t.Drops {
		sums[string(d.Place)] += d.Packets
	}
	sums["no counter tells"] += t.Unattributed
	named := uint64(0)
	for _, w := range t.WrongWhy {
		sums["arrived wrong: "+string(w.Place)] += w.Packets
		named += w.Packets
	}
	sums["arrived wrong"] += t.Wrong - min(named, t.Wrong)
}

func places(sums map[string]uint64, lost uint64) []place {
	var list []place
	for name, n := range sums {
		if n > 0 {
			list = append(list, place{Name: name, Packets: n, Share: share(n, lost)})
		}
	}
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), strings.Compare(a.Name, b.Name))
	})
	return list
}

func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// String writes "veth ring n3 7,745,500 (100 %)".
func (p place) String() string {
	if p.Share == 0 {
		return fmt.Sprintf("%s: %s", p.Name, count(p.Packets))
	}
	return fmt.Sprintf("%s: %s (%.3g %%)", p.Name, count(p.Packets), p.Share*100)
}
