package threshold

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/record"
)

// TestNeeds: where the scatter of the repeats leaves it open, it is said about how many more decide.
func TestNeeds(t *testing.T) {
	limit, err := Parse("rx_pps >= 1M")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []pair
	for _, v := range []float64{1.01e6, 1.05e6, 0.99e6, 1.04e6, 0.98e6} {
		pairs = append(pairs, pair{v, 1e6})
	}
	known := between.Scatter{SD: 0.0001}
	outcome, why, needs := limit.outcome(pairs, 3, known, &record.Result{})
	// By Student's t the half-width of n repeats with a deviation of 30.5 k is 14 k, the distance, at n of 21.
	if outcome != record.OutcomeCannotTell || needs < 12 || needs > 20 || !strings.Contains(why, "needs about") {
		t.Errorf("%s, %s, %d", outcome, why, needs)
	}
	// What runs differ by, more repeats do not make smaller.
	if outcome, why, needs = limit.outcome(pairs, 3, between.Scatter{SD: 0.08, Assumed: true}, &record.Result{}); outcome != record.OutcomeCannotTell || needs != 0 {
		t.Errorf("%s, %s, %d", outcome, why, needs)
	}
	// A run that decided itself when to end has an interval of five repeats by no means.
	if outcome, _, _ = limit.outcome([]pair{{2e6, 1e6}, {2e6, 1e6}, {2e6, 1e6}, {2e6, 1e6}, {2e6, 1e6}}, 5, known,
		&record.Result{Until: &record.Until{Precision: 0.02}}); outcome != record.OutcomeCannotTell {
		t.Errorf("five repeats at any look: %s", outcome)
	}
}
