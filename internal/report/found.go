package report

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// Found says what a search found, for lines of text: one for each goal, with what
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
			s.Bursts.Average, s.Bursts.BufferPackets, orNone(s.LimitedBy)))
	case len(s.Curve) > 0:
		return append(lines, fmt.Sprintf("loss at %d loads, %s at %s", len(s.Curve), Loss(s.Curve[0].LossRatio), Rate(s.Curve[0].PPS)))
	}
	return lines
}

func foundGoal(s *record.Search, g *record.SearchGoal) string {
	line := goalTitle(string(g.Name))
	switch standingOf(s, g) {
	case standsNot:
		line += " NOT VALID"
	case standsAsBound:
		line += " at least " + Rate(g.LowerPPS)
	default:
		line += fmt.Sprintf(" %s, limited by %s", Rate(g.LowerPPS), orNone(g.LimitedBy))
	}
	if len(g.Reasons) > 0 {
		line += ": " + strings.Join(g.Reasons, "; ")
	}
	return line
}
