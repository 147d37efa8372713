package record

// Soak is what a long trial at one load came to.
type Soak struct {
	PlannedS float64 `json:"planned_s"` // as the scenario asks; DurationS of the trial is how long it was
	// Of is what the load is a share of: "the non-drop rate", "what arrived unpaced",
	// or "the load given"; Share is that share, 0..1.
	Of    string  `json:"of"`
	Share float64 `json:"share"`
	// LossBudget is the frame loss ratio that it may have; Kept is true when it did
	// not exceed it.
	LossBudget float64 `json:"loss_budget"`
	Kept       bool    `json:"kept"`
	// StepS is the distance of the points of the series, s.
	StepS  float64 `json:"step_s"`
	Drifts []Drift `json:"drifts"`
}

// Drift is how a quantity changed during a soak: Theil and Sen's slope with an
// interval of 95 %, and the test of Mann and Kendall.
type Drift struct {
	Quantity  string  `json:"quantity"` // "latency p50" | "latency p99" | "CPU" | "memory"
	Unit      string  `json:"unit"`     // "ns" | "cores" | "bytes"
	Points    int     `json:"points"`   // that the test rests on
	Median    float64 `json:"median"`
	PerHour   float64 `json:"per_hour"`
	LowPerHr  float64 `json:"per_hour_low"`
	HighPerHr float64 `json:"per_hour_high"`
	// Change is that over the whole soak, as a share of the median.
	Change    float64 `json:"change"`
	Tolerance float64 `json:"tolerance"`
	P         float64 `json:"p_value"`
	Verdict   string  `json:"verdict"` // "steady" | "rises" | "falls" | "cannot tell"
}

// Broken lists the soaks of a result that are valid and lost more than they may: name
// of the DUT, direction and load.
func (r *Result) Broken() (list []string) {
	for _, d := range r.DUTs {
		for _, t := range d.Trials {
			if t.Valid && t.Soak != nil && !t.Soak.Kept {
				list = append(list, d.Name+" "+string(t.Direction)+" "+t.Load.String())
			}
		}
	}
	return list
}
