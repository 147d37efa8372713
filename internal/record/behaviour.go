package record

// Verdict is what a behaviour case found.
type Verdict string

// The verdicts.
const (
	VerdictEnforced       Verdict = "enforced"
	VerdictNotEnforced    Verdict = "not_enforced"    // accepted, and nothing was done
	VerdictRefused        Verdict = "refused"         // as it should be: it is not announced
	VerdictRefusedWrongly Verdict = "refused_wrongly" // although it is announced, or mandatory
	VerdictWrong          Verdict = "wrong"           // accepted, and something else was done
	VerdictDied           Verdict = "died"            // the UPF ended, or answers nothing any more
	VerdictNotApplicable  Verdict = "not_applicable"
)

// Verdicts lists them, the best first.
func Verdicts() []Verdict {
	return []Verdict{VerdictEnforced, VerdictRefused, VerdictNotApplicable, VerdictRefusedWrongly,
		VerdictNotEnforced, VerdictWrong, VerdictDied}
}

// Bad reports whether the verdict is a finding.
func (v Verdict) Bad() bool {
	switch v {
	case VerdictEnforced, VerdictRefused, VerdictNotApplicable:
		return false
	}
	return true
}

// Cause is one cause of a UPF's findings.
type Cause struct {
	Case    string `json:"case"`              // the finding that names it
	Symptom string `json:"symptom,omitempty"` // of that finding
	// Explains are the other findings that it explains, by their cases.
	Explains []string `json:"explains,omitempty"`
}

// Case is what one behaviour case found of a DUT.
type Case struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Clause  string  `json:"clause"`
	Verdict Verdict `json:"verdict"`
	Cause   string  `json:"cause"` // that the UPF gave: "73, Rule creation/modification Failure (FAR 7)"
	// Expected and Observed are of the first step that was not as it should be.
	Expected string `json:"expected"`
	Observed string `json:"observed"`
	Capture  string `json:"capture"` // file, relative to the result's folder
	// Symptom is what was not as it should be, in a word that is the same in all cases that saw it;
	// "": no other case sees the like.
	Symptom string `json:"symptom,omitempty"`
	// Attack is there where somebody meant harm.
	Attack *Attack `json:"attack,omitempty"`
	// Rate is there where a bit rate was limited, Usage where it was counted under load.
	Rate  *RateLimit `json:"rate_limit,omitempty"`
	Usage *Usage     `json:"usage,omitempty"`
	// Flows are there where QoS flows compete, Shown where the UPF's counters are audited.
	Flows []FlowShare `json:"flows,omitempty"`
	Shown []Shown     `json:"counters,omitempty"`
}
