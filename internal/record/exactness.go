package record

// RateLimit is how a maximum bit rate was enforced. Bits are those of T-PDUs.
type RateLimit struct {
	MBRBPS      float64 `json:"mbr_bps"`
	Octets      int     `json:"tpdu_octets"` // of each packet
	OfferedBPS  float64 `json:"offered_bps"`
	MeasuredBPS float64 `json:"measured_bps"` // in steady state
	Error       float64 `json:"error"`        // MeasuredBPS / MBRBPS - 1
	SteadyS     float64 `json:"steady_seconds"`
	// DisturbedS is for how long a CPU of the run was taken from it; that does not count.
	DisturbedS float64 `json:"disturbed_seconds"`
	// Void: so little was undisturbed that everything counts all the same.
	Void bool `json:"disturbed_void,omitempty"`
	// BurstOctets passed at once, over the rate, after a silence of a second; negative: not known,
	// since the machine was disturbed meanwhile.
	BurstOctets float64 `json:"burst_octets"`
	// FirstLossS is how long it took from the first packet until one was dropped.
	FirstLossS float64 `json:"first_loss_seconds"`
	// ConvergeS is from the first packet until what passes is MeasuredBPS within 0.5 %, over
	// ConvergeWindowS; 0: at once, negative: never.
	ConvergeS       float64 `json:"converge_seconds"`
	ConvergeWindowS float64 `json:"converge_window_seconds"`
	LossRatio       float64 `json:"loss_ratio"`
	LossRun         float64 `json:"loss_run_mean"` // packets lost one after the other
	LossRunMax      int     `json:"loss_run_max"`
	// Latency at half of the rate, and above it.
	BelowP50NS float64 `json:"below_p50_ns"`
	AboveP50NS float64 `json:"above_p50_ns"`
	AboveP99NS float64 `json:"above_p99_ns"`
}

// FlowShare is what a QoS flow got where several compete.
type FlowShare struct {
	QFI        uint8   `json:"qfi"`
	GBRBPS     float64 `json:"gbr_bps"` // 0: none
	MBRBPS     float64 `json:"mbr_bps"` // 0: none
	OfferedBPS float64 `json:"offered_bps"`
	PassedBPS  float64 `json:"passed_bps"`
	LossRatio  float64 `json:"loss_ratio"`
}

// Shown is a counter that a UPF shows of its user plane, over the packets of a case.
type Shown struct {
	Name  string  `json:"name"` // with its labels
	Value float64 `json:"value"`
	// Means is what of the ledger it has to be, "" where that is not known: then Ledger is the
	// quantity that it equals, if there is one.
	Means      string  `json:"means"`
	Ledger     float64 `json:"ledger"`
	Difference float64 `json:"difference"` // Value - Ledger
}

// Usage is what a URR counted and when it said so.
type Usage struct {
	SentOctets    uint64  `json:"sent_octets"`
	ArrivedOctets uint64  `json:"arrived_octets"`
	CountedOctets uint64  `json:"counted_octets"`
	Reports       int     `json:"reports"`
	OverOctets    int64   `json:"over_octets"`   // that arrived beyond a quota
	DelaySeconds  float64 `json:"delay_seconds"` // from the packet that reaches a threshold to the report
	// NonDropPPS and LoadPPS are the highest rate without loss that short trials found, and
	// the rate that was counted; 0 where that is fixed.
	NonDropPPS float64 `json:"non_drop_pps,omitempty"`
	LoadPPS    float64 `json:"load_pps,omitempty"`
}
