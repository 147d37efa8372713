package run

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// controlSentence is what a UPF's N4 carries.
func controlSentence(c *record.ControlPlane) string {
	var parts []string
	for _, r := range c.Rates {
		if r.Goal == record.RateMax && r.PerS > 0 {
			parts = append(parts, fmt.Sprintf("%s %s/s", r.Procedure, view.AtLeast(r.AtLeast, fmt.Sprintf("%.0f", r.PerS))))
		}
	}
	if x := c.Capacity; x != nil {
		parts = append(parts, fmt.Sprintf("%s sessions, torn down at %.0f/s",
			view.AtLeast(x.Ended == record.CapacityBound, fmt.Sprint(x.Sessions)), x.TearDownPerS))
	}
	died := 0
	for _, x := range c.Incidents {
		if x.Died {
			died++
		}
	}
	if died > 0 {
		parts = append(parts, fmt.Sprintf("died %d times", died))
	}
	if len(parts) == 0 {
		return "no rate was found"
	}
	return strings.Join(parts, ", ")
}
