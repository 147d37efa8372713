package trends

import (
	"strings"
	"time"

	"github.com/upflab/upflab/internal/results/history"
)

// Choice chooses runs of a history; what is empty chooses all.
type Choice struct {
	Scenario string
	DUT      string // name:mode, or the name alone
	Verdict  history.Verdict
	Text     string    // in folder, title, machine, versions: each of its words
	From, To time.Time // of the start; To is the first moment that is not in it
}

// Takes reports whether a run is chosen.
func (c Choice) Takes(r *history.Run) bool {
	return (c.Scenario == "" || c.Scenario == r.Scenario) && (c.Verdict == "" || c.Verdict == r.Verdict()) &&
		c.within(r.Started) && history.Filter{DUT: c.DUT}.HasDUT(r) && c.hasText(r)
}

func (c Choice) within(t time.Time) bool {
	return (c.From.IsZero() || !t.Before(c.From)) && (c.To.IsZero() || t.Before(c.To))
}

func (c Choice) hasText(r *history.Run) bool {
	if c.Text == "" {
		return true
	}
	parts := []string{r.Path, r.ID, r.Scenario, r.Title, r.Machine, r.Upflab, r.Kernel}
	for _, d := range r.DUTs {
		parts = append(parts, d.Label, d.Version)
	}
	all := strings.ToLower(strings.Join(parts, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(c.Text)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}
