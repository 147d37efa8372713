package report

import (
	"fmt"
	"strings"
)

// others are what searches found that are no rates: loss curves and bursts.
func (t *text) others(d dutView) {
	for _, s := range only(d.Others, methodLossCurve) {
		var points []string
		for _, c := range s.CurveCells() {
			points = append(points, fmt.Sprintf("%s of load %s", c.Loss, c.Load))
		}
		t.say("  loss   ", fmt.Sprintf("%s%s, load of %s: %s; limited by %s", s.Direction, repeatName(s), Rate(s.MaxPPS),
			orElse(strings.Join(points, ", "), "nothing"), s.LimitWord()))
		t.doubt(s)
	}
	for _, s := range only(d.Others, methodBackToBack) {
		f := s.BurstFigures()
		if !s.Valid {
			t.say("    ! bursts, not valid: ", string(s.Direction)+repeatName(s)+": "+s.Doubts())
			continue
		}
		t.say("  bursts ", fmt.Sprintf("%s%s: longest without loss %s packets (%s, found %s), sent at %s kpps; buffer %s packets; limited by %s",
			s.Direction, repeatName(s), f.Average, f.Span, plural(s.BurstSearches(), "time"), f.Sent, f.Buffer, s.LimitWord()))
	}
}

func (t *text) doubt(s *searchView) {
	if why := s.Doubts(); why != "" {
		t.say("    ! not valid: ", why)
	}
}
