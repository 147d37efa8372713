package view

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/reason"
	"github.com/upflab/upflab/internal/record"
)

// TestBriefly: one cause and one fix, on one line, however many reasons a trial has.
func TestBriefly(t *testing.T) {
	for _, c := range []struct {
		story  string
		limit  record.Limit
		faults []record.Fault
		want   string
	}{
		{"the first fault", record.LimitGenerator, []record.Fault{record.FaultNotSent, record.FaultClock}, "rate missed (not_sent). "},
		{"what leads to others", record.LimitHost, []record.Fault{record.FaultNotSent, record.FaultSteal}, "CPUs stolen (steal). "},
		{"the machine kept it from its CPU", record.LimitHost, []record.Fault{record.FaultNotSent}, "generator kept from CPU (catch_up). "},
		{"no fault", record.LimitHost, nil, "it was disturbed"},
	} {
		trial := &record.Trial{}
		trial.LimitedBy, trial.Faults, trial.Reasons = c.limit, c.faults, []string{"it was disturbed", strings.Repeat("and more ", 100)}
		if got := Briefly(trial); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q", c.story, got)
		}
	}
	for _, r := range reason.All() {
		trial := &record.Trial{}
		trial.Faults = []record.Fault{record.Fault(r.Code)}
		if got := Briefly(trial); r.Kind == reason.NotValid && len(got) > 160 {
			t.Errorf("%s: %d characters: %s", r.Code, len(got), got)
		}
	}
}
