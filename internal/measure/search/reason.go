package search

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

// Reason says why a result is not what was looked for.
type Reason struct {
	Code record.SearchReason
	Text string // a sentence: what happened, at which load, what to do next
}

func because(c record.SearchReason, format string, args ...any) Reason {
	return Reason{Code: c, Text: fmt.Sprintf(format, args...)}
}

// halt ends a search before its time.
type halt struct {
	reason Reason
	cause  error // of the trial or the context; nil when the search gave up by itself
}

// Error makes a halt an error, within this package only.
func (h *halt) Error() string { return h.reason.Text }

// Unwrap gives the cause.
func (h *halt) Unwrap() error { return h.cause }

// rate writes a load for people.
func rate(pps float64) string {
	switch {
	case pps >= 1e6:
		return fmt.Sprintf("%.4g Mpps", pps/1e6)
	case pps >= 1e3:
		return fmt.Sprintf("%.4g kpps", pps/1e3)
	default:
		return fmt.Sprintf("%.4g pps", pps)
	}
}
