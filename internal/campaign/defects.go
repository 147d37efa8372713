package campaign

import (
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// KnownDefects is what a user should hear of a target before its figures: that its version
// is older than any known, and its known defects that touch the scenario.
func KnownDefects(t dut.Target, s *scenario.Scenario) (lines []string) {
	if old := t.TooOld(); old != "" {
		lines = append(lines, old)
	}
	for _, line := range t.Defects(s) {
		lines = append(lines, "Known defect: "+line)
	}
	return lines
}
