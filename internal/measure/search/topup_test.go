package search

import (
	"context"
	"testing"
	"time"
)

// A trial of which next to nothing counts asks for parts of four times its length at most.
func TestPartsAreBounded(t *testing.T) {
	for _, counts := range []float64{0.001, 0.01, 0.05, 0.5, 0.97} {
		var longest time.Duration
		r := newRunner(Limits{})
		w := load(func(_ context.Context, pps float64, d time.Duration) (Outcome, error) {
			longest = max(longest, d)
			s := counts * d.Seconds()
			return Outcome{Sent: uint64(pps * s), Intended: uint64(pps * s), Seconds: s, Excluded: d.Seconds() - s, Valid: true}, nil
		}, PhaseSearch, 1e6, 2*time.Second)
		if _, err := r.whole(t.Context(), w, 1); err != nil {
			t.Fatal(err)
		}
		if longest > 4*w.duration {
			t.Errorf("%v of each trial counts: a part of %v of a trial of %v", counts, longest, w.duration)
		}
	}
}

// A trial of which a tenth counts is whole after its parts: the share that counts is that of all
// that was made, not of one trial's length.
func TestPartsMakeATrialWhole(t *testing.T) {
	r := newRunner(Limits{})
	w := load(func(_ context.Context, pps float64, d time.Duration) (Outcome, error) {
		s := d.Seconds() / 10
		return Outcome{Sent: uint64(pps * s), Intended: uint64(pps * s), Seconds: s, Excluded: d.Seconds() - s, Valid: true}, nil
	}, PhaseSearch, 1e6, 2*time.Second)
	o, err := r.whole(t.Context(), w, 1)
	if err != nil || w.effective(o) < w.duration {
		t.Errorf("%v of a trial of %v (%v)", w.effective(o), w.duration, err)
	}
}
