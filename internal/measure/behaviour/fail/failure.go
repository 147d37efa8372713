// Package fail has why a case fails: what was expected, what was observed, and the symptom.
package fail

import (
	"fmt"

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

// Wrongf is a failure that no machine causes.
func Wrongf(expected, format string, args ...any) error {
	return &Failure{Verdict: record.VerdictWrong, Expected: expected, Observed: fmt.Sprintf(format, args...)}
}

// NotEnforcedf is the failure of a UPF that does not do what it accepted.
func NotEnforcedf(expected, format string, args ...any) error {
	return &Failure{Verdict: record.VerdictNotEnforced, Expected: expected, Observed: fmt.Sprintf(format, args...)}
}

// Repeated makes a failure one that a busy machine can cause: it counts when it is repeated.
func Repeated(err error) error {
	if f, is := err.(*Failure); is {
		f.Soft = true
	}
	return err
}

// RepeatedIf makes a failure one that is repeated, where something may have been lost.
func RepeatedIf(lost bool, err error) error {
	if lost {
		return Repeated(err)
	}
	return err
}

// Inapplicable is a case that says nothing of this UPF.
func Inapplicable(format string, args ...any) error {
	return &Failure{Verdict: record.VerdictNotApplicable, Observed: fmt.Sprintf(format, args...)}
}

// Missing is the failure of an answer that lacks what it has to have.
func Missing(expected, observed string) error { return NotEnforcedf(expected, "%s", observed) }

// Wrong is the failure of an answer that has something else.
func Wrong(expected, observed string) error { return Wrongf(expected, "%s", observed) }

// FirstOf is the first that is an error; nil: none is.
func FirstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Also adds to what was observed.
func Also(err error, text string) error {
	if f, is := err.(*Failure); is {
		f.Observed += text
	}
	return err
}
