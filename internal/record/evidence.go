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

	// CoreBusy is how busy the DUT's CPUs were, whoever used them; absent: upflab did not place the DUT.
	CoreBusy *float64 `json:"dut_core_busy,omitempty"`
	// Others is what others used of the DUT's CPUs; absent: upflab did not place the DUT.
	Others *float64 `json:"others_busy,omitempty"`
	// BusiestCore is CoreBusy of the DUT's busiest CPU, and BusiestThread the share of the time
	// that the DUT's thread that ran most ran: a UPF that cannot share its work out is full
	// where one of them is, whatever CPUs it has.
	BusiestCore   *float64 `json:"dut_busiest_core,omitempty"`
	BusiestThread *float64 `json:"dut_busiest_thread,omitempty"`
	// Useful is the share of a polling DUT's CPU time that was work.
	Useful *float64 `json:"useful_ratio"`
	// RunQueueDelay is the share of the time that the DUT's thread that waited
	// most was ready to run and had no CPU; absent: its processes are not known.
	RunQueueDelay *float64 `json:"run_queue_delay,omitempty"`
	// SwitchesPerS is of all threads of the DUT; absent: its processes are not known.
	SwitchesPerS *float64 `json:"context_switches_per_s,omitempty"`
	StealRatio   float64  `json:"steal_ratio"`
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

// Excluded is what of a trial does not count, since the machine was disturbed when it
// was due. Counts, rates, latency and lateness of the trial are without it; losses by
// place, runs, duplicates and what arrived reordered or wrong, CPU and the series are of
// the whole trial.
type Excluded struct {
	// Void: next to nothing of the trial was undisturbed, so that everything counts;
	// windows and seconds are those that were disturbed.
	Void      bool    `json:"void,omitempty"`
	Windows   uint64  `json:"windows"` // of 1.05 ms of intended time
	Of        uint64  `json:"of"`      // windows of the whole trial
	Seconds   float64 `json:"seconds"` // of the trial
	TxPackets uint64  `json:"tx_packets"`
	RxPackets uint64  `json:"rx_packets"`
	// Of Disturbances, the backlog of Cut was not seen to end: no CPU was idle within ten
	// times their length, so that windows behind those may hold packets that waited for them.
	Disturbances uint64 `json:"disturbances,omitempty"`
	Cut          uint64 `json:"cut,omitempty"`
	// BacklogS is for how long those windows last, s: until the CPUs were idle.
	BacklogS float64 `json:"backlog_s,omitempty"`
	// Causes lists what disturbed the machine, in descending order of the time it took.
	Causes []Disturbance `json:"causes,omitempty"`
}

// Disturbance is what one originator did to one CPU during a trial.
type Disturbance struct {
	Cause   string  `json:"cause"` // "paused" | "others" | "interrupts" | "unseen"
	Who     string  `json:"who,omitempty"`
	CPU     int     `json:"cpu"`
	Count   uint64  `json:"count"`
	Seconds float64 `json:"seconds"` // without the backlog behind it
	Longest float64 `json:"longest_s"`
}

// Ratio is the share of the trial's windows that were disturbed, 0..1.
func (x *Excluded) Ratio() float64 {
	if x == nil || x.Of == 0 {
		return 0
	}
	return float64(x.Windows) / float64(x.Of)
}

// Lost is how many packets were lost of those that do not count.
func (x *Excluded) Lost() uint64 {
	if x == nil || x.TxPackets < x.RxPackets {
		return 0
	}
	return x.TxPackets - x.RxPackets
}

// Energy is what all processors of the machine took, by their own counters (RAPL).
type Energy struct {
	Joules float64 `json:"joules"`
	Watts  float64 `json:"watts"`
	// JoulesPerGbit is for 10^9 bits that arrived in the whole trial, Ethernet header on, no
	// FCS; 0: nothing arrived.
	JoulesPerGbit float64 `json:"j_per_gbit"`
}

// CoreUse is how busy one CPU was, shares of the time, whoever used it.
type CoreUse struct {
	CPU     int     `json:"cpu"`
	Busy    float64 `json:"busy"`
	SoftIRQ float64 `json:"softirq"`
}

// QueueUse is what a receive queue of the UPF took of the trial's packets.
type QueueUse struct {
	Port    string  `json:"port"` // "n3" or "n6"
	Queue   int     `json:"queue"`
	Packets uint64  `json:"packets"`
	Ratio   float64 `json:"ratio"` // of those of the port, 0..1
}

// Arrivals is the arrival process of a trial: how its packets lie in time. With it and
// the load the same packets can be sent again.
type Arrivals struct {
	Process      string  `json:"process"`                 // "poisson", "bursts", "on-off", "replay", or SingleBurst
	Seed         uint64  `json:"seed,omitempty"`          // of poisson: of this trial, by direction, load and repeat
	BurstPackets int     `json:"burst_packets,omitempty"` // of bursts
	OnS          float64 `json:"on_s,omitempty"`          // of on-off
	OffS         float64 `json:"off_s,omitempty"`
}

// SingleBurst is the process of a trial that is one burst.
const SingleBurst = "burst"

// ArrivalsTitle names an arrival process for readers: "Poisson arrivals".
func ArrivalsTitle(process string) string {
	switch process {
	case "":
		return "constant gaps"
	case "poisson":
		return "Poisson arrivals"
	}
	return process + " arrivals"
}

// Line is a physical link that a trial's packets of one direction cross, and what it carries
// of them.
type Line struct {
	Link       string    `json:"link"`      // "n3" | "n6"
	Direction  Direction `json:"direction"` // of the packets: each way is a line
	BitsPerS   uint64    `json:"bits_per_s"`
	FrameBytes int       `json:"frame_bytes"` // mean, Ethernet header on, no FCS
	Share      float64   `json:"share"`       // of the trial's packets that cross it
	// PPS is the line rate in frames of that length, packets/s.
	PPS float64 `json:"line_rate_pps"`
	// SerialisationNS is how long one takes onto the link, from the first bit of the preamble to
	// the last of the FCS, ns. What forwards a frame as a whole waits that long before.
	SerialisationNS float64 `json:"serialisation_ns"`
}

// What Ethernet adds to a frame without its FCS, octets (IEEE 802.3 clauses 3.1.1 and 4.4.2).
const (
	fcsBytes      = 4
	preambleBytes = 8 // with the delimiter
	gapBytes      = 12
	leastFrame    = 60 // shorter ones are padded
)

// NewLine describes a link of bitsPerS that carries a share (0 to 1) of the trial's frames, of frame octets each.
func NewLine(link string, d Direction, bitsPerS uint64, frame int, share float64) Line {
	onWire := max(frame, leastFrame) + fcsBytes + preambleBytes
	bits := func(octets int) float64 { return float64(8*octets) / float64(bitsPerS) }
	return Line{Link: link, Direction: d, BitsPerS: bitsPerS, FrameBytes: frame, Share: share,
		PPS: 1 / bits(onWire+gapBytes), SerialisationNS: 1e9 * bits(onWire)}
}

// LineRatePPS is the offered load at which the first of the trial's lines is full, packets/s;
// all packets together. 0: no line is known.
func (t *Trial) LineRatePPS() (pps float64) {
	for _, l := range t.Lines {
		if full := l.PPS / l.Share; pps == 0 || full < pps {
			pps = full
		}
	}
	return pps
}

// Fault is a kind of reason for which a trial is not valid.
type Fault string

// The faults of a trial.
const (
	FaultDUTEnded  Fault = "dut_ended"
	FaultLinkDown  Fault = "link_down" // N3 or N6 was down
	FaultNotSent   Fault = "not_sent"  // the generator sent less, or more, than was due
	FaultCounters  Fault = "counters"  // nothing arrived, or more than was sent
	FaultCutShort  Fault = "cut_short" // the trial ended early
	FaultStretched Fault = "stretched" // it took longer: the load was lower
	FaultSteal     Fault = "steal"     // the hypervisor took the CPUs
	FaultThrottled Fault = "throttled" // a CPU limit of the pod or container stopped upflab or the DUT
	FaultSink      Fault = "sink"      // the sink lost packets
	FaultCatchUp   Fault = "catch_up"  // the generator paused and then overran a ring
	FaultWrong     Fault = "wrong"     // too many packets arrived wrong
	FaultClock     Fault = "clock"     // the clock was set
	FaultHost      Fault = "host"      // another host that took part was lost
	FaultAsleep    Fault = "asleep"    // the machine was suspended
)

// Doubt is what to keep in mind of a trial that counts.
type Doubt string

// The doubts.
const (
	DoubtDisturbed        Doubt = "disturbed"         // part of it is excluded: something else used the CPUs
	DoubtCPUsApart        Doubt = "cpus_apart"        // generator and DUT on cores that share no cache
	DoubtLate             Doubt = "late"              // packets were sent late, which their latency includes
	DoubtSkipped          Doubt = "skipped"           // packets were not sent
	DoubtStalls           Doubt = "stalls"            // the generator stalled
	DoubtWrongFew         Doubt = "wrong_few"         // few packets arrived wrong
	DoubtDuplicates       Doubt = "duplicates"        // packets arrived more than once
	DoubtForeign          Doubt = "foreign"           // frames arrived that the generator had not sent
	DoubtFewSamples       Doubt = "few_samples"       // latency is of few packets
	DoubtClockSet         Doubt = "clock_set"         // the wall clock was set
	DoubtSuspended        Doubt = "suspended"         // the machine was suspended; that time is left out
	DoubtThrottledBriefly Doubt = "throttled_briefly" // a CPU limit was reached, though not for long
)

// Limit is what can limit a trial, a search or a flow.
type Limit string

// The limits.
const (
	LimitNone      Limit = "none"      // everything offered was carried
	LimitDUT       Limit = "dut"       // the number is the DUT's capability
	LimitGenerator Limit = "generator" // the sender, or the sink behind it
	LimitLink      Limit = "link"      // the bench between generator, DUT and sink
	LimitHost      Limit = "host"      // the machine: stolen time, a shared core, others on the DUT's core
)

// Code is the limit among the codes of reasons: "limited_by_dut".
func (l Limit) Code() string { return "limited_by_" + string(l) }

// RoundTrip is how long packets took from the host that sends them through the UPF to the host
// where they arrive, and from there back through the UPF in the other direction. It is timed by
// the clock of the host that sends, so that it needs no other: where hosts have clocks of their
// own it is measured with one-way delays, and shown where those cannot be. It is of a sample of
// the trial's packets, of the whole trial, whatever was excluded of it.
type RoundTrip struct {
	// First is the direction in which packets were sent; they came back in the other.
	First Direction `json:"first"`
	// Latency counts from the intended send time, without the time at the far host; nil: no
	// packet came back.
	Latency *Latency `json:"latency_ns"`
	// SentBack are the packets that arrived and were sent back; Lost of them did not come.
	SentBack uint64 `json:"sent_back"`
	Lost     uint64 `json:"lost"`
	// StayNS is the mean time at the far host, by its own clock, which is not in Latency, ns.
	StayNS float64 `json:"stay_ns"`
}
