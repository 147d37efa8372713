package export

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestCSVBounds: a value that is a bound says so, as reports do.
func TestCSVBounds(t *testing.T) {
	for _, c := range []struct {
		latency record.Latency
		want    string
	}{
		{record.Latency{Count: 9, P99: 600_000}, ",ns,600000,\n"},
		{record.Latency{Count: 9, P99: 600_000, UpperBound: true}, ",ns,600000,at_most\n"},
		{record.Latency{Count: 9, P99: 600_000, Skipped: 1}, ",ns,600000,at_least\n"},
		{record.Latency{Count: 9, P99: 600_000, Skipped: 1, UpperBound: true}, ",ns,600000,both\n"},
	} {
		r := record.Result{DUTs: []record.DUT{{Name: "external", Trials: []record.Trial{{Kind: record.KindLoad,
			Judgement: record.Judgement{Valid: true}, Traffic: record.Traffic{Latency: &c.latency}}}}}}
		var out strings.Builder
		if err := CSV(&out, &r); err != nil || !strings.Contains(out.String(), "latency.p99"+c.want) {
			t.Errorf("%+v: %q is not in\n%s (%v)", c.latency, c.want, out.String(), err)
		}
	}
}
