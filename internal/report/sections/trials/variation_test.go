package trials

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// A variation that is known to no more than a tenth of it is shown as a bound.
func TestVariationSaysWhatIsABound(t *testing.T) {
	pdv := &record.Latency{Count: 100, P50: 2_000, P99: 90_000, Unresolved: []string{"p50"}}
	cells := variation(&record.Trial{Traffic: record.Traffic{PDV: pdv, IPDV: &record.Latency{Count: 99, P50: 300, P99: 800}}})
	if got, want := cells[3:7], []string{"≤ 2.00", "90.0", "0.30", "0.80"}; !slices.Equal(got, want) {
		t.Errorf("PDV and IPDV are %q, want %q", got, want)
	}
}
