package view

import (
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// Verdict is one trial with the row that it belongs to.
type Verdict struct {
	*record.Trial
	Row *Row
}

// Name is the trial in a sentence: "uplink 960k", "uplink latency at 1k", "frame:512
// both max".
func (t Verdict) Name() string { return t.Row.Where() + " " + t.Row.Name() }

// Codes are the kinds of its reasons, for `upflab explain`; of a result from before trials had them
// those of its faults and its limit.
func (t Verdict) Codes() []string {
	if len(t.ReasonCodes) > 0 {
		return t.ReasonCodes
	}
	var codes []string
	for _, f := range t.Faults {
		codes = append(codes, string(f))
	}
	if t.LimitedBy != "" && t.LimitedBy != record.LimitNone {
		codes = append(codes, t.LimitedBy.Code())
	}
	return codes
}

// Why sums the verdict up.
func (t Verdict) Why() string {
	switch {
	case len(t.Reasons) > 0:
		return strings.Join(t.Reasons, "; ")
	case t.Valid && t.LimitedBy == record.LimitNone:
		return "everything offered was carried"
	}
	return "no reason was given"
}

// Verdicts lists all trials, by UPF and row.
func (v *Run) Verdicts() (all []Verdict) {
	for _, d := range v.UPFs {
		for _, r := range d.Rows {
			for _, t := range r.All {
				all = append(all, Verdict{Trial: t, Row: r})
			}
		}
	}
	return all
}

// Invalid lists the trials that are not valid.
func (v *Run) Invalid() (bad []Verdict) {
	for _, t := range v.Verdicts() {
		if !t.Valid {
			bad = append(bad, t)
		}
	}
	return bad
}
