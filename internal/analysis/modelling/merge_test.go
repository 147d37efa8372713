package modelling

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/consistency"
)

// TestMergedStaysWithinItsValues: a bucket is wider than the values in it, and no quantile is
// beyond the highest value or below the least.
func TestMergedStaysWithinItsValues(t *testing.T) {
	one := &record.Latency{Min: 1010, Mean: 1015, Max: 1020, Count: 10, Buckets: []record.Bucket{{UpTo: 1023, Count: 10}}}
	two := &record.Latency{Min: 1030, Mean: 1040, Max: 1050, Count: 10, Buckets: []record.Bucket{{UpTo: 1087, Count: 10}}}
	m := merged([]*record.Latency{one, two})
	r := &record.Result{DUTs: []record.DUT{{Trials: []record.Trial{{Judgement: record.Judgement{Valid: true},
		Traffic: record.Traffic{Latency: m}}}}}}
	if found := consistency.Check(r); len(found) > 0 || m.Max != 1050 || m.P9999 != 1050 || m.Count != 20 {
		t.Errorf("%+v: %q", m, found)
	}
}
