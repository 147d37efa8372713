package view

import "github.com/upflab/upflab/internal/record"

// Behaved reports whether UPFs were held to behaviour cases, and no trials were made.
func (v *Run) Behaved() bool {
	if v.Scenario == "behaviour" {
		return true
	}
	for _, d := range v.UPFs {
		if len(d.Cases) > 0 {
			return true
		}
	}
	return false
}

// Failed reports whether the run was of incidents, and no trials were made.
func (v *Run) Failed() bool {
	for _, d := range v.UPFs {
		if len(d.Incidents) > 0 {
			return true
		}
	}
	return v.Scenario == "resilience"
}

// Case is the row of a UPF with an ID; nil: it has none.
func (d *UPF) Case(id string) *record.Case {
	for i := range d.Cases {
		if d.Cases[i].ID == id {
			return &d.Cases[i]
		}
	}
	return nil
}

// VerdictWords is a behaviour verdict for readers.
func VerdictWords(v record.Verdict) string {
	switch v {
	case record.VerdictNotEnforced:
		return "accepted but not enforced"
	case record.VerdictRefused:
		return "refused as it should be"
	case record.VerdictRefusedWrongly:
		return "refused although it has to do it"
	case record.VerdictDied:
		return "the UPF died"
	case record.VerdictNotApplicable:
		return "not applicable"
	}
	return string(v)
}

// Counted reports whether instructions were counted, and no trials were made.
func (v *Run) Counted() bool {
	for _, d := range v.UPFs {
		if len(d.Instructions) > 0 {
			return true
		}
	}
	return v.Scenario == "instructions"
}
