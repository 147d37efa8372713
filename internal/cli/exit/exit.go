// Package exit says how a command ends: its errors, what they mean for the exit status, and the signals that end
// it.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario/document"
)

// The exit statuses; docs/reference/exit-status.md is written from these comments. Where several apply to a run, the
// order is 4, a signal's, 1, 3, 2, 0.
const (
	Done    = 0 // The command did what you asked, and every threshold passes.
	Failed  = 1 // A UPF failed, or the command could not do its work, or `verify` found a figure that differs, or a trial without its raw data.
	Usage   = 2 // The command line or a configuration is wrong, or a file that you named is missing or not of its kind.
	Invalid = 3 // Inconclusive: a figure that you asked for has no valid result, or a threshold, a bisection or a soak cannot be decided, or a run ends before it knows what --precision or --until-decided asked, or `energy` finds none. `compare` ends with 0 where it cannot tell.
	Worse   = 4 // A threshold failed, `compare` or --until-decided found the second worse, a soak exceeded its loss budget, or behaviour cases have findings.

	// As shells give them.
	NotRunnable = 126 // `ue exec` cannot run the command.
	NotFound    = 127 // `ue exec` does not find the command.
)

// usageError is a wrong command line; the command's usage is shown with it.
type usageError struct {
	command *cobra.Command
	error
}

func (e usageError) Unwrap() error { return e.error }

// WrongUsage makes an error one of the command line of a command.
func WrongUsage(c *cobra.Command, err error) error { return usageError{c, err} }

// configError is a wrong configuration.
type configError struct{ error }

func (e configError) Unwrap() error { return e.error }

// WrongConfig makes an error one of the configuration, which has another exit status than a failure.
func WrongConfig(err error) error { return configError{err} }

// inconclusiveError ends a command that finished without a valid answer to what was asked.
type inconclusiveError struct{ error }

func (e inconclusiveError) Unwrap() error { return e.error }

// Inconclusive makes an error one of a command that finished without a valid answer.
func Inconclusive(err error) error { return inconclusiveError{err} }

// worseError ends a command that found what a gate is for.
type worseError struct{ error }

func (e worseError) Unwrap() error { return e.error }

// FoundWorse makes an error one that a gate is for: worse than what is allowed.
func FoundWorse(err error) error { return worseError{err} }

// ErrInvalid ends a strict run that finished with trials or searches that are not valid.
var ErrInvalid = Inconclusive(errors.New("some trial or search is not valid: the report says which and why"))

// CommandError is the end of a command that did not end with 0. Nothing is said about it:
// the command has said what it has to say.
type CommandError struct {
	Status int
	Why    error // it did not run; nil: it did
}

func (e CommandError) Error() string { return fmt.Sprintf("the command ended with %d", e.Status) }

// InterruptedError is the end of a command that a signal ended: what that left.
type InterruptedError string

func (e InterruptedError) Error() string { return "interrupted: " + string(e) }

// Interrupted reports whether a command ended because the user stopped it. A disk that is full in the
// meantime is another end: what was measured is not all there.
func Interrupted(err error) bool {
	var said InterruptedError
	var full *store.DiskFullError
	return !errors.As(err, &full) && (errors.As(err, &said) || errors.Is(err, context.Canceled))
}

// Interruption is what is said of it: which signal it was (by, as of BySignal), and what failed beside it, as a
// report that could not be written. The library's "context canceled" says nothing to people.
func Interruption(err error, by string) error {
	first := errors.New("interrupted" + by)
	var said InterruptedError
	if errors.As(err, &said) {
		first = fmt.Errorf("interrupted%s: %s", by, string(said))
	}
	return errors.Join(append([]error{first}, besideInterruption(err)...)...)
}

// besideInterruption are the errors joined to those of the interruption itself.
func besideInterruption(err error) (list []error) {
	var said InterruptedError
	if !errors.Is(err, context.Canceled) && !errors.As(err, &said) {
		return []error{err}
	}
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			list = append(list, besideInterruption(part)...)
		}
	case interface{ Unwrap() error }:
		return besideInterruption(e.Unwrap())
	}
	return list
}

// Report prints an error and gives its exit status.
func Report(w io.Writer, err error) int {
	var usage usageError
	var config configError
	var wrong *document.Error
	var worse worseError
	var name drivers.NameError
	var command CommandError
	var unknown inconclusiveError
	switch {
	case err == nil:
		return Done
	case errors.As(err, &command):
		if command.Why != nil {
			Complain(w, command.Why)
		}
		return command.Status
	case errors.As(err, &worse):
		Complain(w, err)
		return Worse
	case errors.As(err, &unknown):
		Complain(w, err)
		return Invalid
	case errors.As(err, &usage):
		Complain(w, err)
		fmt.Fprintf(w, "Usage: %s\nTry '%s --help'.\n", UsageLine(usage.command), usage.command.CommandPath())
		return Usage
	case errors.As(err, &config), errors.As(err, &wrong), errors.As(err, &name):
		Complain(w, err)
		return Usage
	}
	Complain(w, err)
	return Failed
}

// Complain writes an error. It may quote a file of somebody else, which must not control the
// terminal (ECMA-48), so nothing but printable characters and ends of lines is written.
func Complain(w io.Writer, err error) {
	fmt.Fprintln(w, "upflab:", strings.Join(block.PrintableLines(err.Error()), "\n"))
}

// UsageLine is how a command is called; one that has others below it is called
// with the name of one, unless it takes something itself.
func UsageLine(c *cobra.Command) string {
	if c.HasAvailableSubCommands() && !strings.Contains(c.Use, " ") {
		return c.CommandPath() + " COMMAND [flags]"
	}
	return c.UseLine()
}

// WrongCall recognises the usage errors that the command line library gives as
// plain text.
func WrongCall(err error) bool {
	return strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag")
}
