package view

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/reason"
	"github.com/upflab/upflab/internal/record"
)

// Cause is what kept a trial from being valid, in a few words and with what to do: its first fault, unless
// one is known to lead to others. It says no more than the evidence does: a generator that was kept from
// its CPU does not tell whether the hypervisor had that, another program or an interrupt. false: no fault
// is recorded.
func Cause(t *record.Trial) (reason.Reason, bool) {
	of := record.Fault("")
	if len(t.Faults) > 0 {
		of = t.Faults[0]
	}
	if t.LimitedBy == record.LimitHost && of == record.FaultNotSent {
		of = record.FaultCatchUp // it was kept from its CPU, whoever had that
	}
	for _, f := range []record.Fault{record.FaultSteal, record.FaultThrottled} {
		if slices.Contains(t.Faults, f) {
			of = f
		}
	}
	if of == "" {
		return reason.Reason{}, false
	}
	r, known := reason.Of(string(of))
	if !known {
		r = reason.Reason{Code: string(of), Name: reason.Name(string(of))}
	}
	return r, true
}

// Briefly is why a trial is not valid, on one line: the cause and the fix. The report has the rest.
func Briefly(t *record.Trial) string {
	r, found := Cause(t)
	switch {
	case !found && len(t.Reasons) == 0:
		return "no reason was recorded"
	case !found:
		return t.Reasons[0]
	case r.Fix == "":
		return r.Name
	}
	fix, _, _ := strings.Cut(r.Fix, ". ")
	return r.Name + " (" + r.Code + "). " + strings.TrimSuffix(fix, ".") + "."
}
