package comparison

import (
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
)

// TestEachMetricHasATitle: a reader sees words and not a key.
func TestEachMetricHasATitle(t *testing.T) {
	for _, m := range compare.Metrics() {
		if MetricTitle(m) == string(m) {
			t.Errorf("%s has no title", m)
		}
	}
}
