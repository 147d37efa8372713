package history

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/changes"
	"github.com/upflab/upflab/internal/analysis/stats"
)

// divide finds the levels of a series: of the figures by wire where the machine drifted,
// or where they scatter less, else of the figures as measured. Where wire changed its level, a
// change counts that is in both: wire may have changed alone.
func (s *Series) divide(drifted bool) {
	raw, floor := s.scaled(), s.Metric.Resolution()
	found, shift := changes.Find(raw, floor), 0.0
	asMeasured := found
	if relative, by := s.scaledByWire(); relative != nil {
		if byWire := changes.Find(relative, floor); drifted || byWire.Noise < found.Noise {
			found, shift, s.ByWire = byWire, by, true
		}
	}
	if s.tested = [][]float64{raw}; s.ByWire {
		relative, _ := s.scaledByWire()
		if s.tested = append(s.tested, relative); !drifted {
			s.tested = s.tested[1:]
		}
	}
	s.noise, s.Noise = found.Noise, s.Metric.Change(found.Noise)
	for i, segment := range found.Segments {
		s.Levels = append(s.Levels, Level{segment.From, segment.To, s.Metric.Original(segment.Level) - shift})
		if i == 0 {
			continue
		}
		rise := segment.Level - found.Segments[i-1].Level
		if s.ByWire && drifted && !has(asMeasured, segment.From, rise) {
			continue
		}
		ratio := s.Metric.Change(rise)
		s.Changes = append(s.Changes, Change{At: segment.From, Ratio: ratio, Worse: ratio > 0 != s.Metric.HigherIsBetter()})
	}
}

// has reports whether a division has a border about there, in the same direction.
func has(d changes.Division, at int, rise float64) bool {
	const near = 3
	for i := 1; i < len(d.Segments); i++ {
		if from := d.Segments[i].From; from >= at-near && from <= at+near && (d.Segments[i].Level-d.Segments[i-1].Level)*rise > 0 {
			return true
		}
	}
	return false
}

// scaled are the figures on the scale on which differences add up; nil: they have none.
func (s *Series) scaled() (y []float64) {
	for _, p := range s.Points {
		y = append(y, s.Metric.Scale(p.Value))
	}
	return finiteOnly(y)
}

// scaledByWire are the same with wire's figure taken out; nil: there are none of some run.
// Differences to wire's, which may be near 0, get the level of the figures as measured, by a
// shift, so that a change is a ratio of what is measured.
func (s *Series) scaledByWire() (y []float64, shift float64) {
	var values, byWire []float64
	for _, p := range s.Points {
		values, byWire = append(values, p.Value), append(byWire, p.ByWire)
	}
	if s.Metric.Contains() && !s.Metric.Additive() {
		shift = stats.Median(values) - stats.Median(byWire)
	}
	for _, v := range byWire {
		y = append(y, s.Metric.Scale(v+shift))
	}
	return finiteOnly(y), shift
}

func finiteOnly(y []float64) []float64 {
	if slices.ContainsFunc(y, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		return nil
	}
	return y
}
