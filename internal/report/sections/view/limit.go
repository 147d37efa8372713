package view

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

// bounded reports whether a rate is only a lower bound of what the UPF can do:
// something else limited it. The reference has no capability to bound.
func bounded(reference bool, limitedBy record.Limit) bool {
	return !reference && limitedBy != record.LimitDUT
}

// LimitNote says in two or three words what a rate is.
func LimitNote(reference bool, limitedBy record.Limit) string {
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
	case units.None, record.LimitUnknown:
		return "limit unknown"
	default:
		return "limited by " + string(limitedBy)
	}
}

// allLimits names the limits of a list, each once: "dut/host".
func allLimits[T any](list []T, of func(T) record.Limit) record.Limit {
	var names []string
	for _, x := range list {
		if name := string(of(x)); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return record.Limit(units.OrNone(strings.Join(names, "/")))
}

// LimitTone is how a limit is shown.
func LimitTone(limitedBy record.Limit) block.Tone {
	switch limitedBy {
	case record.LimitDUT:
		return block.Own
	case record.LimitNone:
		return block.Good
	default:
		return block.Warn
	}
}
