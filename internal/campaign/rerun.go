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

// rerun makes a trial, and repeats it when the host disturbed it, or the generator missed
// its load by little: on a shared machine most of that passes. The last attempt is kept;
// earlier ones are listed.
func (r *run) rerun(ctx context.Context, dp *trial.Deployment, spec trial.Spec) (record.Trial, error) {
	var before []string
	for n := 1; ; n++ {
		t, err := r.measure(ctx, dp, spec)
		why := r.passing(&t)
		if err != nil || why == "" || n == r.plan.Scenario.Attempts || dp.Alive() != nil {
			t.Reasons = append(t.Reasons, before...)
			return t, err
		}
		if len(t.Reasons) > 0 {
			before = append(before, "repeated: attempt "+strconv.Itoa(n)+" "+why+": "+t.Reasons[0])
		}
	}
}

// littleLess is how much less than intended a generator sends that could reach the load.
const littleLess = 0.03

// passing is what went wrong with a trial, if it may not the next time.
func (r *run) passing(t *record.Trial) string {
	switch {
	case t.Valid && r.near.lost(t):
		return "was made with the CPUs apart"
	case t.Valid:
		return ""
	case t.LimitedBy == record.LimitHost:
		return "was disturbed"
	case t.LimitedBy == record.LimitGenerator && float64(t.TxPackets) > (1-littleLess)*float64(t.Intended):
		return "missed its load"
	}
	return ""
}

// measure makes one trial, with what wire did at the same load at its latest visit; of wire's
// own trials it keeps that.
func (r *run) measure(ctx context.Context, dp *trial.Deployment, spec trial.Spec) (record.Trial, error) {
	of := dp.Describe(spec)
	key := of.KeyAtRate()
	spec.Wire = r.wire[key]
	r.near.await(ctx, dp.LineNS)
	spec.NearestNS = r.near.leastNS
	t, err := dp.Measure(ctx, spec)
	if err != nil {
		return t, err
	}
	if dp.Endpoint.IsWire() {
		r.wire[key] = trial.Wire{RxPPS: t.RxPPS, LossRatio: t.FrameLossRatio}
		r.stalls.note(&t)
		return t, nil
	}
	if why := r.stalls.own(&t); why != "" {
		spec.Everything = true
		if t, err = dp.Measure(ctx, spec); err == nil {
			t.Reasons = append(t.Reasons, why)
		}
	}
	return t, err
}
