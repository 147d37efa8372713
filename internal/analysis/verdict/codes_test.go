package verdict

import (
	"testing"

	"github.com/upflab/upflab/internal/analysis/reason"
)

// TestDoubtsAreExplained: each doubt that a trial may have is in the table that reports and `upflab
// explain` read, as a doubt, and no two have one code.
func TestDoubtsAreExplained(t *testing.T) {
	codes := map[string]bool{}
	for _, check := range doubtChecks {
		codes[check.code] = true
		if r, known := reason.Of(check.code); !known || r.Kind != reason.Doubt {
			t.Errorf("%s: %+v", check.code, r)
		}
	}
	if len(codes) != len(doubtChecks) {
		t.Error("two doubts have one code")
	}
}
