package exit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/sequential"
	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// OfRun turns what the result says into the run's own. A trial that is not valid is
// excluded and listed; it is an outcome only where nothing else answers what it was for.
func OfRun(r *record.Result, dir string, interrupted bool) error {
	if broken := r.Broken(); len(broken) > 0 {
		return FoundWorse(errors.New("more was lost than soak.loss_budget allows: " + strings.Join(broken, "; ")))
	}
	failed, untold := OfThresholds(r.Thresholds)
	if failed != nil {
		return failed
	}
	if r.Until.Worse() {
		return FoundWorse(errors.New(sequential.Words(r.Until)))
	}
	if interrupted {
		return InterruptedError("what was measured before is in " + dir + ", marked incomplete")
	}
	for _, d := range r.DUTs {
		if d.Status == record.StatusFailed {
			return OfDUT(&d)
		}
	}
	if open := r.Unanswered(); len(open) > 0 {
		return unanswered(open)
	}
	if !r.Until.Reached() {
		return Inconclusive(errors.New(sequential.Words(r.Until)))
	}
	return untold
}

// OfCases is the outcome of a run of cases that finished: findings are not a failure of the run,
// but a gate has to see them.
func OfCases(r *record.Result) error {
	n, causes := 0, 0
	for _, d := range r.DUTs {
		causes += len(d.Causes)
		for _, c := range d.Cases {
			if c.Verdict.Bad() {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	return FoundWorse(fmt.Errorf("%s with %s: the report has a line for each cause", units.Plural(n, "finding"),
		units.Plural(causes, "cause")))
}

// unanswered ends a run that finished without a valid figure for what was asked.
func unanswered(open []string) error {
	return Inconclusive(errors.New("nothing valid was measured of " + strings.Join(open, "; ") + ": the report says why"))
}

// OfDUT is that of a UPF that failed; its own words begin with its name, as a rule.
func OfDUT(d *record.DUT) error {
	return fmt.Errorf("%s failed: %s", d.Name, strings.TrimPrefix(strings.TrimPrefix(d.Error, d.Label()+": "), d.Name+": "))
}

// OfThresholds turns thresholds into the outcome of a run. Each error names the first one.
func OfThresholds(list []record.Threshold) (failed, untold error) {
	of := func(o record.Outcome) []record.Threshold {
		return slices.DeleteFunc(slices.Clone(list), func(t record.Threshold) bool { return t.Outcome != o })
	}
	if bad := of(record.OutcomeFail); len(bad) > 0 {
		more := ""
		if n := len(bad) - 1; n > 0 {
			more = fmt.Sprintf(", and %d more", n)
		}
		failed = FoundWorse(errors.New("a threshold failed: " + threshold.Words(bad[0]) + more))
	}
	if open := of(record.OutcomeCannotTell); len(open) > 0 {
		untold = Inconclusive(fmt.Errorf("of %s it cannot be told whether they are kept, first %s: %s",
			units.Plural(len(open), "threshold"), threshold.Words(open[0]), open[0].Why))
	}
	return failed, untold
}
