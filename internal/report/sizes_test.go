package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestSizesAreNotMixed: a figure comes from the trials of one size.
func TestSizesAreNotMixed(t *testing.T) {
	v := newView(sizes(t))
	if len(v.Sizes) != 3 {
		t.Fatalf("%d sizes", len(v.Sizes))
	}
	for _, one := range v.Sizes {
		for _, d := range one.DUTs {
			for _, r := range d.Rows {
				for _, trial := range r.group.All {
					if trial.Size != one.Size {
						t.Errorf("%s: a trial of %s among %s", d.Label, trial.Size, one.Size)
					}
				}
			}
		}
	}
	small, large := best(v.Sizes[0].DUTs[0], "uplink"), best(v.Sizes[1].DUTs[0], "uplink")
	if a, b := small.group.stat(rxPPS), large.group.stat(rxPPS); a.N != 1 || b.N != 1 || a.Median <= b.Median {
		t.Errorf("128: %+v, 1518: %+v", a, b)
	}
}

// TestWireOfTheSameSize: what the bench adds is measured with the same packets.
func TestWireOfTheSameSize(t *testing.T) {
	v := newView(sizes(t))
	for i := range v.DUTs {
		for j := range v.DUTs[i].Rows {
			r := &v.DUTs[i].Rows[j]
			if o := v.referenceRow(r); o != nil && o.group.Size != r.group.Size {
				t.Errorf("%s %s beside %s", r.DUT, r.group.Size, o.group.Size)
			}
		}
	}
}

// TestSizesInOrder: rows are by size, in the order of the run, repeats or not.
func TestSizesInOrder(t *testing.T) {
	r := sizes(t)
	again := slices.Clone(r.DUTs[0].Trials)
	for i := range again {
		again[i].Repeat = 2
	}
	r.DUTs[0].Trials = append(r.DUTs[0].Trials, again...)
	var seen []string
	for _, row := range newView(r).DUTs[0].Rows {
		if len(seen) == 0 || seen[len(seen)-1] != row.group.Size {
			seen = append(seen, row.group.Size)
		}
	}
	if !slices.Equal(seen, []string{"frame:128", "frame:1518", "imix"}) {
		t.Errorf("%v", seen)
	}
}

// TestDirectionsApart: medians of each direction over repeats.
func TestDirectionsApart(t *testing.T) {
	trial := func(up, down float64) *record.Trial {
		return &record.Trial{Valid: true, Direction: "both", Flows: []record.Flow{{Direction: "uplink", RxPPS: up}, {Direction: "downlink", RxPPS: down}}}
	}
	g := group{Used: []*record.Trial{trial(1000, 10), trial(3000, 20), trial(2000, 60)}}
	rows := row{group: g}.apart()
	if len(rows) != 2 || rows[0].RxKpps.Text != "2.00" || rows[1].RxKpps.Text != "0.02" || rows[1].P50.Text != notMeasured || !rows[0].First {
		t.Errorf("%+v", rows)
	}
}

// TestOldResultsHaveOneSize: a result that names no size is shown as before.
func TestOldResultsHaveOneSize(t *testing.T) {
	if v := newView(sample(t)); len(v.Sizes) != 0 || strings.Contains(v.DUTs[0].Rows[0].Where, "1400") {
		t.Errorf("sizes %v", v.Sizes)
	}
}
