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
	// PTP is what the host's ptp4l says of its clock at the start of the run; nil: it has none.
	PTP *PTP `json:"ptp,omitempty"`
}

// PTP is what linuxptp's ptp4l says of a host's clock: that of the NIC, or of the system with
// software time stamps.
type PTP struct {
	Domain int      `json:"domain"`
	Ports  []string `json:"ports"` // states of IEEE 1588-2008 clause 8.2.5.3.1: "SLAVE", "MASTER" ...
	// OffsetNS is by how much the clock was ahead of its master, ns, and PathDelayNS how long
	// messages from there took, ns.
	OffsetNS    int64 `json:"offset_ns"`
	PathDelayNS int64 `json:"path_delay_ns"`
	Steps       int   `json:"steps"` // clocks on the way from the grandmaster
	// Grandmaster is the identity of the clock that all follow; "": the clock follows none.
	Grandmaster string `json:"grandmaster,omitempty"`
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
