package search

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Throughput is the search of RFC 2544 clause 26.1 by binary search over whole
// steps (ETSI GS NFV-TST 009 clause 12.3.2): first the highest and the lowest
// load, then halves.
type Throughput struct {
	// Loads are MaxPPS, MaxPPS - StepPPS ... down to MinPPS, packets/s.
	MinPPS, MaxPPS, StepPPS uint64
	Duration                time.Duration // of each trial; RFC 2544 clause 24 asks for 60 s
	LossRatio               float64       // tolerated, 0..1 but not 1; RFC 2544 asks for 0
	Verification            LossVerification
	Limits                  Limits
	Conditions              Conditions
}

// GoalThroughput is the name of the goal of Throughput.
const GoalThroughput = "throughput"

// Run searches. The report has one goal, GoalThroughput; for errors see
// [MLRsearch.Run].
func (t Throughput) Run(ctx context.Context, trial Trial) (Report, error) {
	if err := t.check(); err != nil {
		return Report{Method: t.method()}, err
	}
	s := &stepSearch{Throughput: t, trial: trial, runner: newRunner(t.Limits)}
	ended := s.search(ctx)
	report := s.report(ended)
	return report, failure(ended)
}

func (t Throughput) check() error {
	errs := []error{t.Limits.check(), t.Verification.check(), checkRange(float64(t.MinPPS), float64(t.MaxPPS)), t.goal().check()}
	if t.StepPPS == 0 || t.StepPPS > t.MaxPPS-min(t.MinPPS, t.MaxPPS) {
		errs = append(errs, fmt.Errorf("steps of %d packets/s from %d to %d: use 1 up to their distance", t.StepPPS, t.MinPPS, t.MaxPPS))
	}
	if float64(t.MinPPS)*t.Duration.Seconds() < 1 {
		errs = append(errs, fmt.Errorf("a trial of %v at the lowest load of %d packets/s has no packet: raise one of them", t.Duration, t.MinPPS))
	}
	return settings(errs...)
}

func (t Throughput) method() record.Method {
	if t.Verification.Trials > 1 {
		return record.MethodLossVerification
	}
	return record.MethodBinary
}

func (t Throughput) claims() Standard {
	if t.Verification.Trials > 1 {
		return StandardTST009
	}
	return StandardThroughput
}

// goal is the Search Goal that this search amounts to (RFC 9971 clauses 4.10.2
// and 4.10.3).
func (t Throughput) goal() Goal {
	r := max(1, t.Verification.Trials)
	return Goal{
		Name: GoalThroughput, LossRatio: t.LossRatio, ExceedRatio: float64(r-1) / float64(r),
		Width:                clampFloat(float64(t.StepPPS)/float64(max(1, t.MinPPS)), narrowest, widest),
		InitialTrialDuration: t.Duration, FinalTrialDuration: t.Duration, DurationSum: time.Duration(r) * t.Duration,
	}.withDefaults()
}

func clampFloat(v, lo, hi float64) float64 { return min(max(v, lo), hi) }
