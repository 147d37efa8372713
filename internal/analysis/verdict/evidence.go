package verdict

// Evidence is what is known of one trial. Ratios and shares are 0..1, rates
// packets/s. A zero means "none" unless the field says "unknown".
type Evidence struct {
	Reference bool // it is wire: no UPF, what it loses the bench has lost
	Max       bool // unpaced: the generator sends as fast as it can

	Intended   uint64 // packets that fell due; ignored when Max
	Tx         uint64 // sent
	Rx         uint64 // arrived once, and correct
	Wrong      uint64 // arrived, but not as the rules ask; not in Rx
	Duplicates uint64 // arrived again; not in Rx
	Foreign    uint64 // frames at the sink that are not the generator's

	LateSlots     uint64 // packets sent over 10 us after they fell due
	Skipped       uint64 // packets that fell due and were not sent, being over 500 us late
	Stalls        uint64 // times the generator stood still over 1 ms
	LatenessP99NS uint64 // 99th percentile of actual - intended send time, ns
	LatenessMaxNS uint64 // its highest

	GeneratorBusy float64 // of the generator's core
	DUTCoreBusy   float64 // of the DUT's core(s), mean, whoever used it; 0: unknown
	// BusiestCore is that of the busiest of its cores, and BusiestThread the share of the time
	// that the DUT's thread that ran most ran; 0: unknown.
	BusiestCore, BusiestThread float64
	// DUTCores is what the DUT itself used, 1 being a whole core; 0: unknown.
	DUTCores float64
	// DUTCoreCount is how many cores the DUT was given; 0 counts as 1.
	DUTCoreCount int
	// StealRatio is what the hypervisor took, of the CPU of the run of which it took most.
	StealRatio float64
	// ThrottledS is how long the kernel kept upflab and the programs it started from running
	// because their pod or container had used its CPU limit up, s, summed over CPUs.
	// CPULimit is that limit, CPUs; 0: there is none, or it is not known.
	ThrottledS float64
	CPULimit   float64
	SharedCore bool // generator and DUT run on one core
	// RunQueueDelay is the share of the time that the DUT's thread that waited
	// most was ready to run and had no CPU.
	RunQueueDelay float64
	// Polls: the DUT never sleeps, so its core is always busy. Useful is the share
	// of its CPU time that was work then; 0: unknown.
	Polls  bool
	Useful float64
	// ReceivesElsewhere: the kernel receives for the DUT on a core that is not the
	// DUT's, so what overflows before it need not be the DUT's fault.
	ReceivesElsewhere bool

	LinkDrops uint64 // overflow of the ring in front of the DUT
	SinkDrops uint64 // overflow of the ring in front of our own sink
	DUTDrops  uint64 // counted inside the DUT
	// QueueDrops are those of DUTDrops at a full queue: what a DUT without a CPU loses.
	QueueDrops   uint64
	Unattributed uint64 // lost, and no counter shows where

	// WireRxPPS is what wire received at the same load and direction in the
	// same placement, packets/s, and WireLossRatio what it lost then; 0: unknown.
	WireRxPPS, WireLossRatio float64

	// OfferedPPS is the load that was asked for, unless Max, and LineRatePPS that at which the
	// slowest physical link of the way is full, packets/s; 0: not known.
	OfferedPPS, LineRatePPS float64

	// LineNS is how long a cache line takes from the generator's CPU to the DUT's and back,
	// NearestNS the least that it took in the run; 0: unknown.
	LineNS, NearestNS float64

	Died      bool     // the DUT ended during the trial
	LinksDown []string // that were down during the trial, by name
	DurationS float64  // s, from the first slot to the last
	WantedS   float64  // s, as the scenario asks; 0: unknown
	Samples   uint64   // packets whose latency was taken; 0: latency was not measured

	// DisturbedS is how long the machine was disturbed in the trial, s, beside DurationS:
	// that does not count, and all above is without it. Void: so little was undisturbed
	// that everything counts; it is part of DurationS then. Disturber is the program that
	// disturbed most; "": the host, or none.
	DisturbedS float64
	Void       bool
	Disturber  string

	External    bool    // upflab did not start the DUT, which may run on another machine
	Known       bool    // of such a DUT: its process, or its machine, is known
	ClockStepS  float64 // s that the wall clock was set forward by, or back (below 0)
	SuspendedS  float64 // s that this machine was asleep
	ByWallClock bool    // latency was taken by the wall clock
}

// lost is what did not arrive at all. Wrong packets did.
func (e Evidence) lost() uint64 { return shortfall(e.Tx, e.Rx+e.Wrong) }

// lossRatio counts wrong packets as lost, as record.Trial.FrameLossRatio does.
func (e Evidence) lossRatio() float64 { return ratio(shortfall(e.Tx, e.Rx), e.Tx) }

func (e Evidence) rxPPS() float64 {
	if e.DurationS <= 0 {
		return 0
	}
	return float64(e.Rx) / e.DurationS
}

// Others is the share of the DUT's cores that somebody else used; 0 if unknown.
func (e Evidence) Others() float64 {
	if e.DUTCores <= 0 || e.DUTCoreBusy <= 0 {
		return 0
	}
	return max(0, e.DUTCoreBusy-e.own())
}

// own is the share of its cores that the DUT itself used; 0 if unknown.
func (e Evidence) own() float64 { return e.DUTCores / float64(max(e.DUTCoreCount, 1)) }

// full reports whether the DUT's core had nothing left to give. That of a DUT that
// polls is full of work only where the DUT reports so.
func (e Evidence) full() bool {
	if e.Polls {
		return e.Useful >= busyFull
	}
	return e.DUTCoreBusy >= busyFull || e.oneFull()
}

// oneFull reports whether one of several cores, or one thread, had nothing left to give: what
// cannot be shared out is full then, though most of the cores may be idle.
func (e Evidence) oneFull() bool {
	return !e.Polls && e.DUTCoreCount > 1 && (e.BusiestCore >= busyFull || e.BusiestThread >= busyFull)
}

// oneTaken reports whether one of several cores was full, and others used so much that it may
// have been filled by them. The mean over the cores does not say which core they used.
func (e Evidence) oneTaken() bool {
	return e.oneFull() && e.BusiestThread < busyFull && e.DUTCoreBusy < busyFull && e.Others()*float64(e.DUTCoreCount) > othersMax
}

// keptWaiting reports whether the DUT had to wait for its core while others had
// it. Its own threads, too, wait for each other: then it is full, and others have
// no part in it.
func (e Evidence) keptWaiting() bool {
	return e.RunQueueDelay >= delayMax && e.Others() > othersLeast && e.own() < busyFull
}

// crowded reports whether others used so much of the DUT's core that what the DUT
// did is not its own limit.
func (e Evidence) crowded() bool { return e.Others() > othersMax || e.keptWaiting() || e.oneTaken() }

func shortfall(want, got uint64) uint64 {
	if got >= want {
		return 0
	}
	return want - got
}

// ratio is part/whole, 0 of nothing being 0.
func ratio(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// apart reports whether the hypervisor had the generator's CPU and the DUT's farther apart
// than at other times of the run.
func (e Evidence) apart() bool { return Apart(e.LineNS, e.NearestNS) }

// Apart reports whether a cache line took so much longer between two CPUs than the least
// that it takes, ns, that they no longer share a cache; 0 is unknown.
func Apart(lineNS, nearestNS float64) bool { return nearestNS > 0 && lineNS > farther*nearestNS }

// farther is beyond what other work on the same caches makes of it (1.3), and below the step
// from one cache to another (2.5 to 5).
const farther = 2
