package record

// Model is a queueing model that was fitted to the loads of one direction.
type Model struct {
	Direction Direction `json:"direction"`
	Size      string    `json:"size,omitempty"`     // as in Trial
	Arrivals  string    `json:"arrivals,omitempty"` // the arrival process; "": constant gaps
	// Class is the class of traffic whose latency and loss it is of, over the load of all
	// classes together, which share the server; "": all packets.
	Class  string `json:"class,omitempty"`
	Name   string `json:"name"` // "M/M/1/K"
	Chosen bool   `json:"chosen"`
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
	// Curve is what the model predicts, loads ascending, and Residuals how far it is
	// from what was measured: of the chosen model and of M/M/1, which others are
	// compared with.
	Curve     []ModelPoint    `json:"curve,omitempty"`
	Residuals []ModelResidual `json:"residuals,omitempty"`
}

// ModelParameter is a fitted parameter with its 95 % interval.
type ModelParameter struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit,omitempty"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ModelPoint is a prediction at one load, with its 95 % interval where it is known.
type ModelPoint struct {
	LoadPPS float64 `json:"load_pps"`
	Predicted
	Low  *Predicted `json:"low,omitempty"`
	High *Predicted `json:"high,omitempty"`
}

// Predicted is what a model says of a load: latencies in ns.
type Predicted struct {
	MeanNS    float64 `json:"mean_ns"`
	P95NS     float64 `json:"p95_ns"`
	P99NS     float64 `json:"p99_ns"`
	LossRatio float64 `json:"frame_loss_ratio"`
}

// ModelResidual is one comparison of a model with what was measured at a load: of
// latencies in ns, or of loss ratios.
type ModelResidual struct {
	LoadPPS    float64 `json:"load_pps"`
	Observable string  `json:"observable"` // "mean", "p50", "p95", "p99", "loss"
	Measured   float64 `json:"measured"`
	Predicted  float64 `json:"predicted"`
}

// SafeLoad is the load of one direction up to which a target is kept: wherever a report, a
// table, a threshold or the terminal says "safe load", it is PPS.
type SafeLoad struct {
	Direction Direction `json:"direction"`
	Size      string    `json:"size,omitempty"`
	Arrivals  string    `json:"arrivals,omitempty"`
	// Class is the class of traffic; "": all packets. Of a class PPS is its own load while
	// the others offer OtherPPS, in the shares measured, and AlonePPS what it may offer
	// without them, by the same model. CPUCores is that of all together.
	Class    string  `json:"class,omitempty"`
	OtherPPS float64 `json:"other_pps,omitempty"`
	AlonePPS float64 `json:"alone_pps,omitempty"`
	// OtherP99NS is what the others, at OtherPPS, add to the class's p99 at PPS, ns.
	OtherP99NS float64    `json:"other_p99_ns,omitempty"`
	Target     LoadTarget `json:"target"`
	// PPS is the lower limit of the 95 % interval of the highest load that keeps the target,
	// LowPPS to HighPPS, packets/s; 0: none is known to. EstimatePPS is the likeliest.
	PPS         float64 `json:"pps"`
	EstimatePPS float64 `json:"estimate_pps,omitempty"`
	LowPPS      float64 `json:"low_pps"`
	HighPPS     float64 `json:"high_pps"`
	// CPUCores is what the DUT uses there; 0: not known.
	CPUCores float64 `json:"cpu_cores,omitempty"`
	// AtLeast is true when every load that was measured keeps the target.
	AtLeast bool `json:"at_least,omitempty"`
	// Disturbed is true where the machine was disturbed at the loads that break the target, so that
	// their latency is at most what was measured: the highest load that keeps it may be higher than
	// HighPPS.
	Disturbed bool `json:"disturbed,omitempty"`
	// Measured is true where it comes from the loads measured alone, because no model fits:
	// the next higher load, HighPPS, breaks the target.
	Measured bool `json:"measured,omitempty"`
	// FewRepeats is true where it is one load below the highest one that keeps the target, since fewer than three repeats
	// do not show the scatter. HighPPS is the load that breaks it; 0: none that was measured does.
	FewRepeats bool `json:"few_repeats,omitempty"`
	// Why there is none, or what it is.
	Why string `json:"why,omitempty"`
}

// LoadTarget is what a safe load keeps: at most so long for a share of the packets,
// and at most so much loss.
type LoadTarget struct {
	P99NS     float64 `json:"p99_ns,omitempty"` // 0: no bound
	LossRatio float64 `json:"frame_loss_ratio"`
}
