package record

import "time"

// Counters are what the processor did for one packet that arrived, by the hardware counters of the CPUs that the UPF ran
// on: all that these executed counts, in the kernel too. nil: the processor does not count it here.
type Counters struct {
	Instructions *float64 `json:"instructions,omitempty"`
	Cycles       *float64 `json:"cycles,omitempty"`
	CacheMisses  *float64 `json:"cache_misses,omitempty"`
	BranchMisses *float64 `json:"branch_misses,omitempty"`
}

// Instructions are how many a machine executed for a packet of one direction, or for a request of N4. It is an emulated one,
// whose clock counts them.
type Instructions struct {
	Direction Direction `json:"direction,omitempty"` // of packets
	Procedure string    `json:"procedure,omitempty"` // of N4: "establish", "modify" or "delete"
	Repeat    int       `json:"repeat"`              // 1..repeats
	Started   time.Time `json:"started"`
	PacketSize
	Sessions int `json:"sessions"`
	// Each is how many a packet took, the bench's left out, or a request in the UPF's processes; 0: not known. It is the tenth
	// percentile of the Batches, whose mean has what timers and other threads add.
	Each    float64 `json:"instructions"`
	Mean    float64 `json:"mean_instructions"`
	Batches int     `json:"batches"`
	// Program are those of the UPF's XDP program alone; 0: it has none where the packets come in.
	Program float64 `json:"program_instructions,omitempty"`
	// Bench is what a packet takes through wire.
	Bench     float64  `json:"bench_instructions,omitempty"`
	TxPackets uint64   `json:"tx_packets,omitempty"`
	RxPackets uint64   `json:"rx_packets,omitempty"` // that arrived right
	WrongWhy  []Count  `json:"wrong_why,omitempty"`
	Valid     bool     `json:"valid"`
	Reasons   []string `json:"reasons"`
}

// Trial is what was counted as a trial, to be compared.
func (x *Instructions) Trial() Trial {
	return Trial{Kind: KindInstructions, Direction: x.Direction, Repeat: x.Repeat, Started: x.Started, PacketSize: x.PacketSize,
		Sessions: x.Sessions, Judgement: Judgement{Valid: x.Valid, LimitedBy: LimitDUT, Reasons: x.Reasons}, Counted: x}
}

// Name is "uplink" or "establish".
func (x *Instructions) Name() string { return string(x.Direction) + x.Procedure }

// Invalid keeps a figure from being used.
func (x *Instructions) Invalid(why string) { x.Valid, x.Reasons = false, append(x.Reasons, why) }
