package record

// Member is a host that took part in a run besides the one with the UPF.
type Member struct {
	Testbed string      `json:"testbed"`
	Role    string      `json:"role"` // "generator" or "sink"
	Host    string      `json:"hostname"`
	Kernel  string      `json:"kernel"`
	Device  string      `json:"device"` // its port
	CPUs    []int       `json:"cpus"`   // that send
	GNB     string      `json:"gnb,omitempty"`
	Clock   MemberClock `json:"clock"` // at the end of the run
}

// MemberClock is what is known of another host's clock.
type MemberClock struct {
	// Same: it is the clock of the host with the UPF.
	Same bool `json:"same,omitempty"`
	// OffsetNS is what the host's CLOCK_MONOTONIC lacks, ns, known to ErrorNS: half the time
	// of the quickest answer.
	OffsetNS int64  `json:"offset_ns"`
	ErrorNS  uint64 `json:"error_ns"`
	// Synchronised is whether its kernel says that its wall clock is (NTP, PTP), and
	// KernelErrorNS by how much it may be wrong then.
	Synchronised  bool   `json:"synchronised"`
	KernelErrorNS uint64 `json:"kernel_error_ns,omitempty"`
}

// HostShare is what another host did in a trial.
type HostShare struct {
	Testbed        string  `json:"testbed"`
	TxPackets      uint64  `json:"tx_packets"`
	RxPackets      uint64  `json:"rx_packets"`
	GeneratorCores float64 `json:"generator_cores"` // of its busiest CPU that sends
	// StartNS is by how much its first packet was late, ns.
	StartNS      uint64 `json:"start_ns"`
	ClockErrorNS uint64 `json:"clock_error_ns"`
}
