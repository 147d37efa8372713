package record

// Outcome is what became of a threshold.
type Outcome string

// The outcomes of a threshold.
const (
	OutcomePass       Outcome = "pass"
	OutcomeFail       Outcome = "fail"
	OutcomeCannotTell Outcome = "cannot tell"
)

// Threshold is what one expression of the scenario came to for one load of one DUT.
type Threshold struct {
	Expression string `json:"threshold"` // as the scenario writes it
	DUT        string `json:"dut"`       // name:mode
	Figure     string `json:"figure"`    // "rx_pps"
	Unit       string `json:"unit"`      // of the values: "packets/s", "ns" ...
	Where      string `json:"where"`     // what was measured: "uplink 500k"
	// Value is the median of the valid repeats, Limit what it is held against, which is
	// the median over them where it is another DUT's figure. nil: there is none.
	Value *float64 `json:"value"`
	Limit *float64 `json:"limit"`
	// Lowest and Highest are those of the repeats.
	Lowest  *float64 `json:"lowest"`
	Highest *float64 `json:"highest"`
	Repeats int      `json:"repeats"` // valid ones
	Kept    int      `json:"kept"`    // those of them that keep the threshold
	Outcome Outcome  `json:"outcome"`
	Why     string   `json:"why,omitempty"` // of what cannot be told
	// Needs is about how many more repeats tell; 0: none do, or it is not known.
	Needs int `json:"needs_repeats,omitempty"`
}

// Outcomes counts a result's thresholds by outcome.
func (r *Result) Outcomes() map[Outcome]int {
	n := map[Outcome]int{}
	for _, t := range r.Thresholds {
		n[t.Outcome]++
	}
	return n
}
