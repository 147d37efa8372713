package record

// Evidence is what the verdict on a trial rests on. Ratios and shares are 0..1;
// what is nil the machine, or the DUT, does not report.
type Evidence struct {
	TxRatio       float64 `json:"tx_of_intended"`  // sent / intended
	LateRatio     float64 `json:"late_ratio"`      // sent over 10 us after they were due / sent
	LatenessP99NS uint64  `json:"lateness_p99_ns"` // actual - intended send time
	Stalls        uint64  `json:"stalls"`          // times the generator stood still over 1 ms
	GeneratorBusy float64 `json:"generator_busy"`  // of its core, by sending

	RingDrops  uint64 `json:"ring_drops"`  // full ring in front of the DUT, packets
	SinkDrops  uint64 `json:"sink_drops"`  // full ring in front of our own sink, packets
	DUTDrops   uint64 `json:"dut_drops"`   // inside the DUT and its kernel, packets
	QueueDrops uint64 `json:"queue_drops"` // those of them at a full queue or socket

	CoreBusy float64 `json:"dut_core_busy"` // of the DUT's CPUs, whoever used them
	Others   float64 `json:"others_busy"`   // of the DUT's CPUs, used by others
	// BusiestCore is CoreBusy of the DUT's busiest CPU, and BusiestThread the share of the time
	// that the DUT's thread that ran most ran: a UPF that cannot share its work out is full
	// where one of them is, whatever CPUs it has.
	BusiestCore   float64 `json:"dut_busiest_core"`
	BusiestThread float64 `json:"dut_busiest_thread"`
	// Useful is the share of a polling DUT's CPU time that was work.
	Useful *float64 `json:"useful_ratio"`
	// RunQueueDelay is the share of the time that the DUT's thread that waited
	// most was ready to run and had no CPU.
	RunQueueDelay float64 `json:"run_queue_delay"`
	SwitchesPerS  float64 `json:"context_switches_per_s"` // of the DUT's threads
	StealRatio    float64 `json:"steal_ratio"`
	// FrequencyMHz is the mean clock rate of the DUT's CPUs at the trial's end.
	FrequencyMHz *float64 `json:"cpu_mhz"`

	// LineNS is how long a cache line took from the generator's CPU to the DUT's and back, the
	// longer one of before the trial and after it.
	LineNS *float64 `json:"cpu_line_ns"`

	WireRxPPS *float64 `json:"wire_rx_pps"` // of wire at the same load, packets/s
	// WireLossRatio is what wire lost at the same load, 0..1; nil: not known.
	WireLossRatio *float64 `json:"wire_frame_loss_ratio,omitempty"`

	ClockStepS float64 `json:"clock_step_s"` // by which the wall clock was set
	SuspendedS float64 `json:"suspended_s"`  // that the machine was asleep
	// ThrottledS is how long a CPU limit kept upflab and what it started from running, s.
	ThrottledS float64 `json:"throttled_s,omitempty"`
}
