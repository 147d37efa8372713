package record

// Model is a queueing model that was fitted to the loads of one direction.
type Model struct {
	Direction Direction `json:"direction"`
	Size      string    `json:"size,omitempty"`     // as in Trial
	Arrivals  string    `json:"arrivals,omitempty"` // the arrival process; "": constant gaps
	Name      string    `json:"name"`               // "M/M/1/K"
	Chosen    bool      `json:"chosen"`
	// Rejected is the code of why it is not accepted: "misfit" ...; "" when it is.
	Rejected string `json:"rejected,omitempty"`
	// MuPPS is the highest rate that the DUT serves, packets/s; QueuePackets its room
	// with the packet in service, 0 for models without limit.
	MuPPS        float64          `json:"mu_pps"`
	QueuePackets float64          `json:"queue_packets,omitempty"`
	Parameters   []ModelParameter `json:"parameters,omitempty"`
	AICc         *float64         `json:"aicc,omitempty"` // nil: it was not fitted
	// P99ErrorRatio is by how much the 99th percentile at loads left out of the fit
	// differs from what was measured, mean of |predicted/measured - 1|; nil: unknown.
	P99ErrorRatio *float64 `json:"p99_error_ratio,omitempty"`
	// Curve is what the chosen model predicts, loads ascending.
	Curve []ModelPoint `json:"curve,omitempty"`
}

// ModelParameter is a fitted parameter with its 95 % interval.
type ModelParameter struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit,omitempty"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ModelPoint is a prediction at one load: latencies in ns.
type ModelPoint struct {
	LoadPPS   float64 `json:"load_pps"`
	MeanNS    float64 `json:"mean_ns"`
	P95NS     float64 `json:"p95_ns"`
	P99NS     float64 `json:"p99_ns"`
	LossRatio float64 `json:"frame_loss_ratio"`
}

// SafeLoad is the highest load of one direction that keeps a target.
type SafeLoad struct {
	Direction Direction  `json:"direction"`
	Size      string     `json:"size,omitempty"`
	Arrivals  string     `json:"arrivals,omitempty"`
	Target    LoadTarget `json:"target"`
	PPS       float64    `json:"pps"` // 0: none keeps it
	LowPPS    float64    `json:"low_pps"`
	HighPPS   float64    `json:"high_pps"`
	// CPUCores is what the DUT uses there; 0: not known.
	CPUCores float64 `json:"cpu_cores,omitempty"`
	// AtLeast is true when every load that was measured keeps the target.
	AtLeast bool `json:"at_least,omitempty"`
	// Why there is none.
	Why string `json:"why,omitempty"`
}

// LoadTarget is what a safe load keeps: at most so long for a share of the packets,
// and at most so much loss.
type LoadTarget struct {
	P99NS     float64 `json:"p99_ns,omitempty"` // 0: no bound
	LossRatio float64 `json:"frame_loss_ratio"`
}
