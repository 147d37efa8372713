package history

import (
	"github.com/upflab/upflab/internal/analysis/changes"
)

// divide finds the levels of a series: of the figures by wire where the machine drifted,
// or where they scatter less, else of the figures as measured.
func (s *Series) divide(drifted bool) {
	raw, floor := s.scaled(false), s.Metric.Resolution()
	found := changes.Find(raw, floor)
	if relative := s.scaled(true); relative != nil {
		if byWire := changes.Find(relative, floor); drifted || byWire.Noise < found.Noise {
			found, s.ByWire = byWire, true
		}
	}
	s.noise, s.Noise = found.Noise, s.Metric.Change(found.Noise)
	for i, segment := range found.Segments {
		s.Levels = append(s.Levels, Level{segment.From, segment.To, s.Metric.Original(segment.Level)})
		if i > 0 {
			ratio := s.Metric.Change(segment.Level - found.Segments[i-1].Level)
			s.Changes = append(s.Changes, Change{At: segment.From, Ratio: ratio, Worse: ratio > 0 != s.Metric.HigherIsBetter()})
		}
	}
}

// scaled are the figures on the scale on which differences add up; nil: there are none by
// wire, of some run at least.
func (s *Series) scaled(byWire bool) (y []float64) {
	for _, p := range s.Points {
		v := p.Value
		if byWire {
			v = p.ByWire
		}
		if v = s.Metric.Scale(v); !finite(v) {
			return nil
		}
		y = append(y, v)
	}
	return y
}
