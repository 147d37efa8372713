package report

import (
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// atLeast reports whether a rate is only a lower bound of what the DUT can do:
// something else limited it. The reference has no capability to bound.
func atLeast(reference bool, limitedBy string) bool {
	return !reference && limitedBy != record.LimitDUT
}

// limitNote tells in two or three words what a rate is.
func limitNote(reference bool, limitedBy string) string {
	if reference {
		return "what the bench carries"
	}
	switch limitedBy {
	case record.LimitDUT:
		return "its own limit"
	case record.LimitGenerator:
		return "generator-limited"
	case record.LimitLink:
		return "bench-limited"
	case record.LimitHost:
		return "host-limited"
	case record.LimitNone:
		return "all that was offered"
	case notMeasured:
		return "limit unknown"
	default:
		return "limited by " + limitedBy
	}
}

// bound puts the sign of a lower bound before a figure.
func bound(isBound bool, text string) string {
	if !isBound || text == notMeasured {
		return text
	}
	return "≥ " + text
}

// trimBound takes the sign of a lower bound away, where a figure beside has it.
func trimBound(text string) string { return strings.TrimPrefix(text, "≥ ") }
