package cli

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/analysis/sequential"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// budgetError ends a run in which soaks lost more than they may.
type budgetError []string

func (e budgetError) Error() string {
	return "more was lost than soak.loss_budget allows: " + strings.Join(e, "; ")
}

// outcome turns what the result says into the run's own. A trial that is not valid is
// excluded and listed; it is an outcome only where nothing else answers what it was for.
func outcome(r *record.Result, dir string, interrupted bool) error {
	if broken := r.Broken(); len(broken) > 0 {
		return budgetError(broken)
	}
	failed, untold := thresholdsOutcome(r.Thresholds)
	if failed != nil {
		return failed
	}
	if r.Until.Worse() {
		return worseUPFError(sequential.Words(r.Until))
	}
	if interrupted {
		return interruptedError("what was measured before is in " + dir + ", marked incomplete")
	}
	for _, d := range r.DUTs {
		if d.Status == record.StatusFailed {
			return failedError(&d)
		}
	}
	if open := r.Unanswered(); len(open) > 0 {
		return unansweredError(open)
	}
	if !r.Until.Reached() {
		return unknownError(sequential.Words(r.Until))
	}
	return untold
}

// strictly is the outcome for those who take no trial that is not valid.
func (f runFlags) strictly(r *record.Result) error {
	if f.Strict && !r.AllValid() {
		return errInvalid
	}
	return nil
}

// findingsOf is the outcome of a run of cases that finished: findings are not a failure of the run,
// but a gate has to see them.
func findingsOf(r *record.Result) error {
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
	return findingsError{n, causes}
}

// unknownError ends a run that does not know what it was to make repeats for.
type unknownError string

func (e unknownError) Error() string { return string(e) }

// worseUPFError ends a run that found its second UPF worse than its first.
type worseUPFError string

func (e worseUPFError) Error() string { return string(e) }

// findingsError ends a run of cases that has findings.
type findingsError struct{ findings, causes int }

func (e findingsError) Error() string {
	return fmt.Sprintf("%s with %s: the report has a line for each cause", units.Plural(e.findings, "finding"),
		units.Plural(e.causes, "cause"))
}

// failedError is that of a UPF that failed; its own words begin with its name, as a rule.
func failedError(d *record.DUT) error {
	return fmt.Errorf("%s failed: %s", d.Name, strings.TrimPrefix(strings.TrimPrefix(d.Error, d.Label()+": "), d.Name+": "))
}
