package history

import (
	"math"

	"github.com/upflab/upflab/internal/analysis/changes"
	"github.com/upflab/upflab/internal/analysis/stats"
)

// Alarms is the chance that Regressions names any figure in a night in which none has changed.
const Alarms = 0.01

// Regression is a figure that became worse of late, and stays so.
type Regression struct {
	Of    *Series
	At    int     // the first point of the new level
	Ratio float64 // by how much, as of a Change
}

// Regressions are the figures of UPFs that became worse within the last runs, at most so many, and did so in more
// than changes.Bad of them. Holm's procedure over all figures keeps the chance of any false one at Alarms, however
// they depend on each other.
func Regressions(all []*Series, last int) (list []Regression) {
	var p []float64
	for _, s := range all {
		if s.Reference {
			continue
		}
		rise := s.rise(last)
		ratio := rise.By
		if s.Metric.HigherIsBetter() {
			ratio = -ratio
		}
		list, p = append(list, Regression{s, rise.At, s.Metric.Change(ratio)}), append(p, rise.P)
	}
	var found []Regression
	for i, adjusted := range stats.Holm(p) {
		if adjusted < Alarms {
			found = append(found, list[i])
		}
	}
	return found
}

// rise is by how much the figure became worse in each way in which that has to show: the least sure of them.
func (s *Series) rise(last int) (least changes.Rise) {
	least.P = math.Inf(-1)
	for _, y := range s.tested {
		worse := make([]float64, len(y))
		for i, v := range y {
			if worse[i] = v; s.Metric.HigherIsBetter() {
				worse[i] = -v
			}
		}
		if r := changes.Lately(worse, last, s.Metric.Resolution()); r.P > least.P {
			least = r
		}
	}
	return least
}
