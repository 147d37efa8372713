package record

// Until is how a run that made repeats until something was known came to its end.
type Until struct {
	// Precision is the ratio to which figures were to be known, 0.02 being 2 %; 0: two UPFs were compared.
	Precision float64 `json:"precision,omitempty"`
	// Decided is by how much one of them was to be worse or not, as a ratio; 0: they were not compared.
	Decided float64  `json:"decided,omitempty"`
	Figures []string `json:"figures"`   // by name
	AtMostS float64  `json:"at_most_s"` // how long it might take

	Ended   Ending  `json:"ended,omitempty"` // "": it was cut short
	Repeats int     `json:"repeats"`         // whole ones
	Looks   int     `json:"looks"`           // how often its figures were looked at
	TookS   float64 `json:"took_s"`          // up to the last look
	// Known are the figures at the last look, where they were to be known to a precision.
	Known []KnownFigure `json:"known,omitempty"`
	// Verdict is what the comparison came to at the last look.
	Verdict *UntilVerdict `json:"verdict,omitempty"`
}

// Ending is why a run ended.
type Ending string

// The endings.
const (
	EndedKnown  Ending = "known"  // everything was known, or decided
	EndedTime   Ending = "time"   // another repeat did not fit in
	EndedMost   Ending = "most"   // it had as many repeats as a run has at most
	EndedFutile Ending = "futile" // more repeats would change nothing
)

// Reached reports whether a run knows what it was made for; also one that was made for a fixed number of repeats.
func (u *Until) Reached() bool { return u == nil || u.Ended == EndedKnown }

// Worse reports whether a run decided that its second UPF is worse than its first.
func (u *Until) Worse() bool {
	return u != nil && u.Ended == EndedKnown && u.Verdict != nil && u.Verdict.Decision == DecisionWorse
}

// DecisionWorse is that of a comparison whose second side is worse by more than the threshold.
const DecisionWorse = "worse"

// KnownFigure is how well a figure is known.
type KnownFigure struct {
	DUT    string `json:"dut"`    // name:mode
	Where  string `json:"where"`  // "uplink max"
	Figure string `json:"figure"` // "rx_pps"
	Unit   string `json:"unit"`
	Sign   string `json:"sign,omitempty"` // of a bound: "≥ "
	// Value is the median of the valid repeats.
	Value   float64 `json:"value"`
	Repeats int     `json:"repeats"` // valid ones
	// Low and High are the confidence sequence of the median at the last look, which holds at all looks together;
	// nil: there are too few repeats for one.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	// Within is how far the further of them is from Value, as a ratio.
	Within *float64 `json:"within"`
	Known  bool     `json:"known"` // Within is at most the precision
	// Effect is the variance of a mean of its repeats, which depend on those before, by that of independent ones.
	Effect float64 `json:"design_effect"`
	// BetweenRuns is how far another run of the same thing lies away, as a ratio, with 95 % confidence.
	BetweenRuns float64 `json:"between_runs"`
	Assumed     bool    `json:"between_runs_assumed,omitempty"` // the machine was not calibrated
	Needs       int     `json:"needs_repeats,omitempty"`        // about how many more
	Why         string  `json:"why,omitempty"`                  // more repeats do not help
}

// UntilVerdict is what a comparison within the run came to.
type UntilVerdict struct {
	A        string         `json:"a"`
	B        string         `json:"b"`
	Decision string         `json:"decision"` // "worse", "not worse", "needs more repeats", "cannot be decided"
	Needs    int            `json:"needs_repeats,omitempty"`
	Figures  []UntilCompare `json:"figures"`
}

// UntilCompare is one figure of it.
type UntilCompare struct {
	Where    string  `json:"where"`
	Figure   string  `json:"figure"`
	Change   float64 `json:"change"` // of B against A: a ratio, of frame loss a difference
	Blocks   int     `json:"blocks"` // pairs of repeats
	Decision string  `json:"decision"`
	// EWorse is the highest e-value so far against that B is not worse by more than Decided, ENot against that it is.
	EWorse float64 `json:"e_worse"`
	ENot   float64 `json:"e_not_worse"`
	Why    string  `json:"why,omitempty"`
}
