package behaviour

import (
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// Skip ends a case that says nothing of this UPF, and says why.
func Skip(why string) Step {
	return Step{Text: "nothing: " + why, Do: func(*T) error { return fail.Inapplicable("%s", why) }}
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

// lost is the symptom of a packet that should arrive.
func (p *Packet) lost() string {
	if p.Up {
		return fail.Lost + "uplink"
	}
	return fail.Lost + "downlink"
}
