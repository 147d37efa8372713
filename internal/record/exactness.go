package record

// RateLimit is how a maximum bit rate was enforced. Bits are those of T-PDUs.
type RateLimit struct {
	MBRBPS      float64 `json:"mbr_bps"`
	OfferedBPS  float64 `json:"offered_bps"`
	MeasuredBPS float64 `json:"measured_bps"` // in steady state
	Error       float64 `json:"error"`        // MeasuredBPS / MBRBPS - 1
	SteadyS     float64 `json:"steady_seconds"`
	// BurstOctets passed at once, over the rate, after a silence of a second.
	BurstOctets float64 `json:"burst_octets"`
	// FirstLossS is how long it took from the first packet until one was dropped.
	FirstLossS float64 `json:"first_loss_seconds"`
	LossRatio  float64 `json:"loss_ratio"`
	LossRun    float64 `json:"loss_run_mean"` // packets lost one after the other
	LossRunMax int     `json:"loss_run_max"`
	// Latency at half of the rate, and above it.
	BelowP50NS float64 `json:"below_p50_ns"`
	AboveP50NS float64 `json:"above_p50_ns"`
	AboveP99NS float64 `json:"above_p99_ns"`
}

// Usage is what a URR counted and when it said so.
type Usage struct {
	SentOctets    uint64  `json:"sent_octets"`
	ArrivedOctets uint64  `json:"arrived_octets"`
	CountedOctets uint64  `json:"counted_octets"`
	Reports       int     `json:"reports"`
	OverOctets    int64   `json:"over_octets"`   // that arrived beyond a quota
	DelaySeconds  float64 `json:"delay_seconds"` // from the packet that reaches a threshold to the report
}
