package verdict

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/decltest"
)

// TestDoubtsAreChecked: each doubt that a trial may have is looked for, once.
func TestDoubtsAreChecked(t *testing.T) {
	checks := map[record.Doubt]int{}
	for _, check := range doubtChecks {
		checks[check.code]++
	}
	for name, code := range decltest.Constants(t, "../../record", "Doubt") {
		if n := checks[record.Doubt(code)]; n != 1 {
			t.Errorf("record.%s is looked for %d times", name, n)
		}
	}
}
