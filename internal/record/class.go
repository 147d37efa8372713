package record

// Class is what became of a class of traffic in a trial of one direction: of the sessions
// that have one QFI and are in one slice. Disturbed time is in its counts and latencies.
type Class struct {
	Class     string  `json:"class"` // "QFI 5"
	Sessions  int     `json:"sessions"`
	TxPackets uint64  `json:"tx_packets"`
	TxPPS     float64 `json:"tx_pps"` // its share of the trial's
	// FrameLossRatio is (tx - rx) / tx of its sessions in the windows that count, 0..1: what
	// was lost there is split among the classes as what was lost in the whole trial.
	FrameLossRatio float64 `json:"frame_loss_ratio"`
	// Latency is that of a sample of the packets, from the intended send time to where they
	// go out of the DUT; AtDUT from where they come in there. nil: not timed.
	Latency *Latency `json:"latency_ns,omitempty"`
	AtDUT   *Latency `json:"at_dut_ns,omitempty"`
}
