package plan

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// TestIncidentsThatCannotBe: what has no addresses, or no gNB that a UPF finds, is refused before anything is started.
func TestIncidentsThatCannotBe(t *testing.T) {
	for _, c := range []struct{ sets, want string }{
		{"ue.family=both", ""},
		{"ue.family=ipv6 ue.pool6=2001:db8:45:1::/64", "the incidents have 1202 UEs in all, and there are addresses for 1"},
		{"ue.family=ipv6 ue.pool6=2001:db8:45:1::/64 cases=idle.1", ""},
		{"ue.pool=10.45.0.0/24", "there are addresses for 253"},
	} {
		s, err := scenario.Open("resilience", strings.Fields(c.sets), false)
		if err != nil {
			t.Fatal(err)
		}
		err = checkIncidents(&Plan{Scenario: s})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.sets, err, c.want)
		}
	}
}
