package compare_test

import (
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/text/decltest"
)

// TestMetricsAreFigures: a figure has one name, here and in thresholds and exports. Only the rate of a goal
// of the user's has its own: a search may have several of them.
func TestMetricsAreFigures(t *testing.T) {
	listed := map[compare.Metric]bool{}
	for _, m := range compare.Metrics() {
		listed[m] = true
		if _, known := figure.Of(string(m)); !known && m != compare.GoalRate {
			t.Errorf("%s is no figure of package figure", m)
		}
	}
	for name, value := range decltest.Constants(t, ".", "Metric") {
		if !listed[compare.Metric(value)] {
			t.Errorf("%s (%s) is not among the metrics", name, value)
		}
	}
	for old, now := range map[string]compare.Metric{"latency_p50_ns": compare.P50, "latency_p99_ns": compare.P99, "rx_pps": compare.RxPPS} {
		if compare.Named(old) != now {
			t.Errorf("%s is read as %s", old, compare.Named(old))
		}
	}
}
