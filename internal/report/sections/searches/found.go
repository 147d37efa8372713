package searches

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Found is what a search found, for lines of progress: one for each goal, with what
// limited it and what speaks against it.
func Found(s record.Search) (lines []string) {
	for i := range s.Goals {
		lines = append(lines, foundGoal(&s, &s.Goals[i]))
	}
	switch {
	case !s.Valid && len(s.Goals) == 0:
		return []string{"NOT VALID: " + strings.Join(s.Reasons, "; ")}
	case s.Bursts != nil:
		return append(lines, fmt.Sprintf("longest burst %.1f packets, buffer %.1f packets, limited by %s",
			s.Bursts.Average, s.Bursts.BufferPackets, units.OrNone(s.LimitedBy)))
	case len(s.Curve) > 0:
		return append(lines, fmt.Sprintf("loss at %d loads, %s at %s", len(s.Curve), units.Loss(s.Curve[0].LossRatio),
			units.Rate(s.Curve[0].PPS)))
	}
	return lines
}

func foundGoal(s *record.Search, g *record.SearchGoal) string {
	line := view.GoalTitle(g.Name)
	switch view.WorthOf(s, g) {
	case view.NoRate:
		line += " NOT VALID, " + view.BoundsWords(g)
	case view.LowerBound:
		line += " at least " + units.Rate(g.LowerPPS)
	default:
		line += fmt.Sprintf(" %s, limited by %s", units.Rate(g.LowerPPS), units.OrNone(g.LimitedBy))
	}
	if len(g.Reasons) > 0 {
		line += ": " + strings.Join(g.Reasons, "; ")
	}
	return line
}
