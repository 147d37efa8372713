package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// near is how far, as a ratio less 1, two loads may be apart and still be the
// same one.
const near = 0.05

// besides puts the reference's latency in the same placement beside that of
// each DUT: what the bench itself adds, wake-ups included.
func (v *view) besides() {
	v.HasReference = slices.ContainsFunc(v.DUTs, func(d dutView) bool { return d.Reference && len(d.Rows) > 0 })
	for i := range v.DUTs {
		for j := range v.DUTs[i].Rows {
			r := &v.DUTs[i].Rows[j]
			r.Wire = cell{Text: "–"}
			if !r.Reference {
				r.Wire = v.beside(r)
			}
		}
	}
}

// beside is the reference's median latency at the load of r, µs, or at the load
// nearest to it, which is then named.
func (v view) beside(r *row) cell {
	other := v.referenceRow(r)
	if other == nil {
		return cell{Text: notMeasured}
	}
	c := cell{Text: other.P50.Text}
	if distance(r, other) > math.Log1p(near) {
		c.Note = "at " + Rate(other.rate())
	}
	return c
}

// referenceRow finds the trial of a reference whose load is nearest, of the same
// kind where there are two.
func (v view) referenceRow(r *row) *row {
	candidates := v.referenceRows(r)
	if len(candidates) == 0 {
		return nil
	}
	return slices.MinFunc(candidates, func(a, b *row) int {
		return cmp.Or(cmp.Compare(step(distance(r, a)), step(distance(r, b))), cmp.Compare(kindDiffers(r, a), kindDiffers(r, b)),
			cmp.Compare(distance(r, a), distance(r, b)))
	})
}

// referenceRows lists those that can be compared: valid, with a latency, and
// unpaced as r is or paced as r is.
func (v view) referenceRows(r *row) []*row {
	var found []*row
	for i := range v.DUTs {
		d := &v.DUTs[i]
		for j := range d.Rows {
			o := &d.Rows[j]
			if d.Reference && o.Direction == r.Direction && o.group.Size == r.group.Size && o.Valid && o.P50.Text != notMeasured && (o.rate() == 0) == (r.rate() == 0) {
				found = append(found, o)
			}
		}
	}
	return found
}

// rate is the offered load, packets/s; 0 for unpaced.
func (r *row) rate() float64 { return r.group.Used[0].Load.PPS }

// distance is how far two loads are apart, as the logarithm of their ratio.
func distance(a, b *row) float64 {
	if a.rate() == b.rate() {
		return 0
	}
	return math.Abs(math.Log(a.rate() / b.rate()))
}

// step makes loads that are the same equal.
func step(distance float64) float64 {
	if distance <= math.Log1p(near) {
		return 0
	}
	return distance
}

func kindDiffers(a, b *row) int {
	if a.group.Kind == b.group.Kind {
		return 0
	}
	return 1
}

// offeredCell writes the offered load, kpps.
func offeredCell(g group) cell {
	return g.stat(func(t *record.Trial) float64 { return orNaN(t.Load.PPS) }).cell(kpps)
}
