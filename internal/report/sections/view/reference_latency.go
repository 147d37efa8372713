package view

import (
	"cmp"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

// Near is how far, as a ratio less 1, two loads may be apart and still be the same
// one.
const Near = 0.05

// setReferenceLatency gives each row the reference's latency in the same placement:
// what the bench itself adds, wake-ups included.
func (v *Run) setReferenceLatency() {
	for _, d := range v.UPFs {
		for _, r := range d.Rows {
			r.Reference = block.T(units.Blank)
			if !d.Reference {
				r.Nearest = v.nearestReference(r)
				r.Reference = referenceLatency(r)
			}
		}
	}
}

func referenceLatency(r *Row) block.Cell {
	other := r.Nearest
	if other == nil {
		return block.T(units.None)
	}
	c := block.T(other.Latency(P50).Text)
	if distance(r, other) > math.Log1p(Near) {
		c.Note, c.Short = "at "+units.Rate(other.OfferedPPS()), "~"+c.Text
	}
	return c
}

// nearestReference finds the trial of a reference whose load is nearest, of the same
// kind where there are two.
func (v *Run) nearestReference(r *Row) *Row {
	candidates := v.references(r)
	if len(candidates) == 0 {
		return nil
	}
	return slices.MinFunc(candidates, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(step(distance(r, a)), step(distance(r, b))), cmp.Compare(kindDiffers(r, a), kindDiffers(r, b)),
			cmp.Compare(distance(r, a), distance(r, b)))
	})
}

// references lists those that can be compared: valid, with a latency, and unpaced as r
// is or paced as r is.
func (v *Run) references(r *Row) (found []*Row) {
	for _, d := range v.UPFs {
		for _, o := range d.Rows {
			if d.Reference && o.Direction == r.Direction && o.Size == r.Size && o.Valid() && o.Stat(LatencyOf(P50)).N > 0 &&
				(o.OfferedPPS() == 0) == (r.OfferedPPS() == 0) {
				found = append(found, o)
			}
		}
	}
	return found
}

// distance is how far two loads are apart, as the logarithm of their ratio.
func distance(a, b *Row) float64 {
	if a.OfferedPPS() == b.OfferedPPS() {
		return 0
	}
	return math.Abs(math.Log(a.OfferedPPS() / b.OfferedPPS()))
}

// step makes loads that are the same equal.
func step(distance float64) float64 {
	if distance <= math.Log1p(Near) {
		return 0
	}
	return distance
}

func kindDiffers(a, b *Row) int {
	if a.Kind == b.Kind {
		return 0
	}
	return 1
}
