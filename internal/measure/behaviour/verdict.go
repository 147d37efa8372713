package behaviour

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
)

// Failure is why a case is not enforced, as far as it has come.
type Failure struct {
	Verdict            record.Verdict
	Cause              string // that the UPF gave; "" when it refused nothing
	Expected, Observed string
	Symptom            string // "": one that no other case has
	// Soft: a busy machine can cause it, so that it counts only when it is repeated.
	Soft bool
	// Refusal: the UPF refused what the case asks; whether it may, Need says.
	Refusal bool
	// Silent: a request was not answered.
	Silent bool
}

// Error implements error: it says what was expected and what was observed.
func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Expected, f.Observed) }

// wrong is a failure that no machine causes.
func wrong(expected, format string, args ...any) error {
	return &Failure{Verdict: record.VerdictWrong, Expected: expected, Observed: fmt.Sprintf(format, args...)}
}

func notEnforced(expected, format string, args ...any) error {
	return &Failure{Verdict: record.VerdictNotEnforced, Expected: expected, Observed: fmt.Sprintf(format, args...)}
}

// soft makes a failure one that is repeated.
func soft(err error) error {
	if f, is := err.(*Failure); is {
		f.Soft = true
	}
	return err
}

// softIf makes a failure one that is repeated, where something may have been lost.
func softIf(lost bool, err error) error {
	if lost {
		return soft(err)
	}
	return err
}

// inapplicable is a case that says nothing of this UPF.
func inapplicable(format string, args ...any) error {
	return &Failure{Verdict: record.VerdictNotApplicable, Observed: fmt.Sprintf(format, args...)}
}

// Skip ends a case that says nothing of this UPF, and says why.
func Skip(why string) Step {
	return Step{Text: "nothing: " + why, Do: func(*T) error { return inapplicable("%s", why) }}
}

// Need says when a UPF may refuse what a case asks of it.
type Need struct {
	// Feature: it has to do it when it announces all of these.
	Feature smf.Features
	// Optional: it may refuse, since nothing announces it.
	Optional bool
}

// refused is the verdict on a refusal.
func (n Need) refused(announced smf.Features) record.Verdict {
	switch {
	case n.Feature != 0 && announced.Has(n.Feature):
		return record.VerdictRefusedWrongly
	case n.Feature != 0 || n.Optional:
		return record.VerdictRefused
	}
	return record.VerdictRefusedWrongly
}

// Missing is the failure of an answer that lacks what it has to have.
func Missing(expected, observed string) error { return notEnforced(expected, "%s", observed) }

// Wrong is the failure of an answer that has something else.
func Wrong(expected, observed string) error { return wrong(expected, "%s", observed) }

// Inapplicable is a case that says nothing of this UPF.
func Inapplicable(format string, args ...any) error { return inapplicable(format, args...) }

// Repeated makes a failure one that a busy machine can cause: it counts when it is repeated.
func Repeated(err error) error { return soft(err) }
