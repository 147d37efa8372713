package trials

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// unattributed is where packets went that no counter saw.
const unattributed = "no counter has them"

// Drops is where the packets went that did not arrive, all repeats of a trial together. The
// counters of places hold the whole of each trial: so does what they are compared with.
func Drops(v *view.Run) block.Section {
	if len(v.Directions) == 0 {
		return block.Section{}
	}
	t := block.Table{Columns: []block.Column{block.Key("UPF"), block.Words("Trial"),
		block.Number("Lost in the whole trial", ""), block.Prose("Where")}}
	for _, d := range v.UPFs {
		for _, r := range d.Rows {
			if row, lost := dropRow(r); lost {
				t.Rows = append(t.Rows, row)
			}
		}
	}
	s := block.Section{Title: "Where packets went", Only: block.Pages, Blocks: []block.Block{t}}
	if len(t.Rows) == 0 {
		s.Blocks = []block.Block{block.Note{Text: "None was lost."}}
	}
	return s
}

func dropRow(r *view.Row) (row block.Row, lost bool) {
	var missing uint64
	sums := map[record.Place]uint64{}
	for _, t := range r.All {
		missing += t.WholeLost()
		addPlaces(sums, t)
	}
	places := places(sums, missing)
	return block.Row{Cells: []block.Cell{r.UPF.NameCell(), block.T(r.Where() + " " + r.Name()), block.T(units.Count(missing)),
		block.T(units.OrElse(strings.Join(places, "; "), unattributed))}, Tone: r.UPF.Tone()}, missing > 0 || len(places) > 0
}

func addPlaces(sums map[record.Place]uint64, t *record.Trial) {
	for _, d := range t.Drops {
		sums[d.Place] += d.Packets
	}
	sums[unattributed] += t.Unattributed
	named := uint64(0)
	for _, w := range t.WrongWhy {
		sums["arrived wrong: "+w.Place] += w.Packets
		named += w.Packets
	}
	sums["arrived wrong"] += t.Wrong - min(named, t.Wrong)
}

// places writes "veth ring n3 7,745,500 (100 %)", the most first. Counters of the kernel hold
// other packets, too: where they come to more than was lost, shares are of all that they hold.
func places(sums map[record.Place]uint64, lost uint64) (list []string) {
	var names []record.Place
	var held uint64
	for name, n := range sums {
		if n > 0 {
			names = append(names, name)
			held += n
		}
	}
	all := max(lost, held)
	slices.SortFunc(names, func(a, b record.Place) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	for _, name := range names {
		list = append(list, fmt.Sprintf("%s: %s (%.3g %%)", name, units.Count(sums[name]), 100*float64(sums[name])/float64(all)))
	}
	return list
}
