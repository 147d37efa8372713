package search

import (
	"context"
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

// LossVerification repeats lossy trials in the hope that the loss was a passing
// disturbance (ETSI GS NFV-TST 009 clause 12.3.3). The zero value does not.
type LossVerification struct {
	// Trials is max(r): how many trials in all a load is given to be without
	// loss, 1..100; 0 means 1.
	Trials int
	// GiveUp is z, packets: a trial that loses more is not repeated; 0 means
	// that all are.
	GiveUp uint64
}

const mostVerified = 100

func (v LossVerification) check() error {
	if v.Trials < 0 || v.Trials > mostVerified {
		return fmt.Errorf("loss verification with %d trials: use 1 to %d, or 0 for none", v.Trials, mostVerified)
	}
	return nil
}

// judged is what the trials at one load, or of one burst, came to.
type judged struct {
	good    bool
	trials  []sample
	lastOne sample
}

// judge makes trials until one is good, or all that are allowed were not.
func (v LossVerification) judge(ctx context.Context, r *runner, w want, lossRatio float64) (judged, error) {
	var j judged
	for range max(1, v.Trials) {
		s, err := r.measure(ctx, w)
		if err != nil {
			return j, err
		}
		j.trials, j.lastOne = append(j.trials, s), s
		if j.good = !s.high(lossRatio); j.good || s.beyond || v.tooMany(r.latest) {
			break
		}
	}
	return j, nil
}

func (v LossVerification) tooMany(o Outcome) bool { return v.GiveUp > 0 && o.Lost > v.GiveUp }

// beyond reports whether the bench, not the device, was the limit.
func (j judged) beyond() bool {
	return j.lastOne.beyond || limitedBy(j.trials, true, 0) == record.LimitGenerator
}
