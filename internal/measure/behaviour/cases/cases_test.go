package cases

import (
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour"
)

// TestCasesAreWhole: IDs are unique and of a group, nothing is left empty, and each case
// can be shown.
func TestCasesAreWhole(t *testing.T) {
	groups := map[string]bool{}
	for _, g := range Groups() {
		groups[g[0]] = true
	}
	seen := map[string]bool{}
	for _, c := range All() {
		if seen[c.ID] || !groups[c.Group()] || !regexp.MustCompile(`^[a-z0-9]+(\.[a-z0-9-]+)+$`).MatchString(c.ID) {
			t.Errorf("%q is there twice, of no group, or badly formed", c.ID)
		}
		seen[c.ID] = true
		if c.Title == "" || c.Clause == "" || strings.HasSuffix(c.Title, ".") {
			t.Errorf("%s: title %q, clause %q", c.ID, c.Title, c.Clause)
		}
		for n, s := range c.Steps(behaviour.Sample()) {
			if s.Text == "" || s.Do == nil {
				t.Errorf("%s: step %d has no text or does nothing", c.ID, n+1)
			}
		}
	}
}

func TestSelect(t *testing.T) {
	if list, err := Select([]string{"qer.gate", "qer.gate.uplink"}); err != nil || len(list) != 5 {
		t.Errorf("qer.gate is %d cases, %v", len(list), err)
	}
	if _, err := Select([]string{"qer.gat"}); err == nil || !strings.Contains(err.Error(), "behaviour list") {
		t.Errorf("an unknown case: %v", err)
	}
}
