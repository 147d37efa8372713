package record

import "slices"

// Stress is what the stress study of a DUT has besides its trials.
type Stress struct {
	// OrderSeed gives the order of the trials, which is random.
	OrderSeed uint64 `json:"order_seed"`
	// Capacities are what the loads are shares of, where the run chose them.
	Capacities []Capacity `json:"capacities,omitempty"`
	// Warmups are how long the DUT took to settle, by MSER-5.
	Warmups []Warmup `json:"warmups,omitempty"`
	// TapCosts are what timing packets at the DUT's ports costs.
	TapCosts []TapCost `json:"tap_costs,omitempty"`
	// ServiceTimes are the delays at the DUT at the lowest load, where next to no packet
	// waits for another.
	ServiceTimes []ServiceTime `json:"service_times,omitempty"`
	// Timelines follow the DUT before, during and after the traffic of one trial.
	Timelines []Timeline `json:"timelines,omitempty"`
	// Problems say why a direction has no model or no loads: sentences.
	Problems []string `json:"problems,omitempty"`
}

// Capacity is what a DUT carries with at most LossRatio of loss, found in a few short
// trials.
type Capacity struct {
	Direction Direction `json:"direction"`
	Size      string    `json:"size,omitempty"`
	PPS       float64   `json:"pps"` // packets/s
	LossRatio float64   `json:"frame_loss_ratio"`
	// AtLeast is true where the generator, not the DUT, was at its end.
	AtLeast bool `json:"at_least,omitempty"`
	// HighestPPS is the most that the generator sent, packets/s: no load is above it.
	HighestPPS float64 `json:"highest_pps"`
	Trials     int     `json:"trials"`
}

// Warmup is how long a DUT took to settle after its traffic began.
type Warmup struct {
	Direction Direction `json:"direction"`
	Size      string    `json:"size,omitempty"`
	Load      Load      `json:"load"`
	Of        string    `json:"of"` // what was looked at: "latency p50"
	Seconds   float64   `json:"s"`  // that MSER-5 cuts off
	Points    int       `json:"points"`
	StepS     float64   `json:"step_s"` // distance of the points
	Settled   bool      `json:"settled"`
	Why       string    `json:"why,omitempty"` // it is not known
	// UsedS is the warm-up that trials of this direction then had, s.
	UsedS float64 `json:"used_s"`
}

// TapCost compares trials at one load with and without the taps, taken in turn.
type TapCost struct {
	Direction Direction `json:"direction"`
	Size      string    `json:"size,omitempty"`
	Load      Load      `json:"load"`
	Every     int       `json:"every"` // one packet in so many is timed
	Pairs     int       `json:"pairs"` // trials with and as many without
	// Medians over the trials.
	P50With      float64 `json:"p50_with_ns"`
	P50Without   float64 `json:"p50_without_ns"`
	CoresWith    float64 `json:"cores_with"`
	CoresWithout float64 `json:"cores_without"`
}

// ServiceTime is the delay at the DUT at the lowest load.
type ServiceTime struct {
	Direction Direction `json:"direction"`
	Size      string    `json:"size,omitempty"`
	Arrivals  string    `json:"arrivals,omitempty"`
	LoadPPS   float64   `json:"load_pps"`
	MeanNS    float64   `json:"mean_ns"`
	// SCV is the squared coefficient of variation: variance / mean².
	SCV    float64  `json:"scv"`
	Delays *Latency `json:"delays_ns"`
}

// Timeline follows a DUT around the traffic of one trial. Points before the traffic have
// times below 0.
type Timeline struct {
	Direction Direction `json:"direction"`
	Size      string    `json:"size,omitempty"`
	Load      Load      `json:"load"`
	Arrivals  string    `json:"arrivals,omitempty"`
	DurationS float64   `json:"duration_s"` // of the traffic
	Points    []Moment  `json:"points"`
}

// Moment is what happened in the time up to T since the moment before.
type Moment struct {
	T            float64 `json:"t_s"` // from the first slot
	RxPPS        float64 `json:"rx_pps"`
	DUTCores     float64 `json:"dut_cores"`
	MemoryBytes  uint64  `json:"memory_bytes"`
	SwitchesPerS float64 `json:"switches_per_s"`
	Watts        float64 `json:"watts,omitempty"` // of the machine's processors; 0: not shown
}

// AddProblem adds a sentence that is not there yet; "" adds nothing.
func (s *Stress) AddProblem(text string) {
	if text != "" && !slices.Contains(s.Problems, text) {
		s.Problems = append(s.Problems, text)
	}
}
