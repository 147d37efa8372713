package campaign

import (
	"context"
	"strconv"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/trial"
)

// trial runs the n-th trial of the run.
func (r *run) trial(ctx context.Context, dp *trial.Deployment, n int, spec trial.Spec) (record.Trial, error) {
	r.observer.Begin(n, dp.Label, dp.Describe(spec))
	t, err := r.rerun(ctx, dp, spec)
	if err == nil {
		r.observer.End(n, dp.Label, t)
	}
	return t, err
}

// rerun makes a trial, and repeats it when the host disturbed it: on a shared machine most
// disturbances pass. The last attempt is kept; earlier ones are listed.
func (r *run) rerun(ctx context.Context, dp *trial.Deployment, spec trial.Spec) (record.Trial, error) {
	var before []string
	for n := 1; ; n++ {
		t, err := r.measure(ctx, dp, spec)
		disturbed := err == nil && !t.Valid && t.LimitedBy == record.LimitHost
		if !disturbed || n == r.plan.Scenario.Attempts || dp.Alive() != nil {
			t.Reasons = append(t.Reasons, before...)
			return t, err
		}
		if len(t.Reasons) > 0 {
			before = append(before, "repeated: attempt "+strconv.Itoa(n)+" was disturbed: "+t.Reasons[0])
		}
	}
}

// wireKey is a trial of wire's that others are held against.
type wireKey struct {
	record.Key
	repeat int
}

// measure makes one trial, with what wire did at the same load; of wire's own trials
// it keeps that.
func (r *run) measure(ctx context.Context, dp *trial.Deployment, spec trial.Spec) (record.Trial, error) {
	of := dp.Describe(spec)
	key := wireKey{of.KeyAtRate(), spec.Repeat}
	if r.study != nil { // wire is measured in the first repeat alone
		key.repeat = 1
	}
	spec.WireRxPPS = r.wire[key]
	t, err := dp.Measure(ctx, spec)
	if err == nil && dp.Endpoint.Wire {
		r.wire[key] = t.RxPPS
	}
	return t, err
}
