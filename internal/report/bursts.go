package report

import (
	"fmt"
	"slices"
	"strings"
)

// Methods of searches that look for something else than a rate, as results name
// them.
const (
	methodLossCurve  = "loss_curve"
	methodBackToBack = "back_to_back"
)

// ofRates reports whether the search looked for rates.
func (s *searchView) ofRates() bool {
	return s.Method != methodLossCurve && s.Method != methodBackToBack
}

// only keeps the searches of a method.
func only(all []*searchView, method string) []*searchView {
	return slices.DeleteFunc(slices.Clone(all), func(s *searchView) bool { return s.Method != method })
}

// others lists what DUTs' searches of a method found in a direction.
func (v view) others(method, direction string) (list []*searchView) {
	for _, d := range v.DUTs {
		for _, s := range only(d.Others, method) {
			if string(s.Direction) == direction {
				list = append(list, s)
			}
		}
	}
	return list
}

// Doubts says why a loss curve or a burst search has no result that stands; ""
// when it has.
func (s *searchView) Doubts() string {
	if s.Valid {
		return ""
	}
	return orElse(strings.Join(withCodes(s.Search.Reasons, s.ReasonCodes), "; "), "no reason was given")
}

// withCodes puts the code of each reason behind it.
func withCodes(reasons, codes []string) []string {
	list := slices.Clone(reasons)
	for i := range list {
		if i < len(codes) {
			list[i] += " [" + codes[i] + "]"
		}
	}
	return list
}

// burstFigures are what a burst search found, written.
type burstFigures struct {
	Average, Span, Sent, Forwards, Buffer, Implied, Corrected string
}

// BurstFigures writes what a burst search found, "not valid" where it found
// nothing.
func (s *searchView) BurstFigures() burstFigures {
	b := s.Bursts
	if b == nil || !s.Valid {
		f := burstFigures{Average: "not valid", Span: notMeasured, Sent: notMeasured, Forwards: notMeasured, Buffer: notMeasured,
			Implied: notMeasured, Corrected: notMeasured}
		if b != nil && len(b.Longest) > 0 {
			f.Span = fmt.Sprint(b.Longest)
		}
		return f
	}
	return burstFigures{
		Average: number(b.Average, "%.1f"), Span: fmt.Sprintf("%d..%d", b.Min, b.Max), Sent: kpps(b.SentPPS),
		Forwards: kpps(b.ThroughputPPS), Buffer: number(b.BufferPackets, "%.1f"),
		Implied: micros(b.ImpliedS * 1e9), Corrected: micros(b.CorrectedS * 1e9),
	}
}

// BurstSearches is how many times the longest burst was searched.
func (s *searchView) BurstSearches() int {
	if s.Bursts == nil {
		return 0
	}
	return len(s.Bursts.Longest)
}

// LimitWord names what lost packets.
func (s *searchView) LimitWord() string { return orNone(s.LimitedBy) }

// LimitClass is the style of LimitWord.
func (s *searchView) LimitClass() string { return limitClass(s.LimitedBy) }

// CurveCell is one load of a loss curve as it is shown.
type CurveCell struct {
	Load, Offered, Loss, Limited string
	Bench                        bool
}

// CurveCells are the loads of a loss curve, descending. Where the bench did not
// reach a load, the loss is at most what is shown.
func (s *searchView) CurveCells() (cells []CurveCell) {
	for _, p := range s.Curve {
		c := CurveCell{Load: number(100*p.Ratio, "%.3g") + " %", Offered: kpps(p.PPS), Loss: lossRatio(p.LossRatio), Limited: orNone(p.LimitedBy), Bench: p.Bench}
		if p.Bench {
			c.Loss = "≤ " + c.Loss
		}
		cells = append(cells, c)
	}
	return cells
}
