package analysis

// What can limit a trial: the values of result.Trial.LimitedBy.
const (
	LimitNone      = "none"      // everything offered was carried
	LimitDUT       = "dut"       // the number is the DUT's capability
	LimitGenerator = "generator" // the sender, or the sink behind it
	LimitLink      = "link"      // the bench between generator, DUT and sink
	LimitHost      = "host"      // the machine: stolen time, a shared core, others on the DUT's core
)

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
	Stalls        uint64 // times the generator stood still over 1 ms
	LatenessP99NS uint64 // 99th percentile of actual - intended send time, ns

	GeneratorBusy float64 // of the generator's core
	DUTCoreBusy   float64 // of the DUT's core(s), whoever used it; 0: unknown
	// DUTCores is what the DUT itself used, 1 being a whole core; 0: unknown.
	DUTCores float64
	// DUTCoreCount is how many cores the DUT was given; 0 counts as 1.
	DUTCoreCount int
	StealRatio   float64 // time stolen by the hypervisor
	SharedCore   bool    // generator and DUT run on one core

	LinkDrops uint64 // overflow of the ring in front of the DUT
	SinkDrops uint64 // overflow of the ring in front of our own sink
	DUTDrops  uint64 // counted inside the DUT
	Unplaced  uint64 // lost, and no counter tells where

	// WireRxPPS is what wire received at the same load and direction in the
	// same placement; 0: unknown.
	WireRxPPS float64

	Died      bool    // the DUT ended during the trial
	DurationS float64 // s, from the first slot to the last
	WantedS   float64 // s, as the scenario asks; 0: unknown
	Samples   uint64  // packets whose latency was taken; 0: latency was not measured
}

// lost is what did not arrive at all. Wrong packets did.
func (e Evidence) lost() uint64 { return shortfall(e.Tx, e.Rx+e.Wrong) }

// lossRatio counts wrong packets as lost, as result.Trial.FrameLossRatio does.
func (e Evidence) lossRatio() float64 { return ratio(shortfall(e.Tx, e.Rx), e.Tx) }

func (e Evidence) rxPPS() float64 {
	if e.DurationS <= 0 {
		return 0
	}
	return float64(e.Rx) / e.DurationS
}

// others is the share of the DUT's cores that somebody else used; 0 if unknown.
func (e Evidence) others() float64 {
	if e.DUTCores <= 0 || e.DUTCoreBusy <= 0 {
		return 0
	}
	return max(0, e.DUTCoreBusy-e.DUTCores/float64(max(e.DUTCoreCount, 1)))
}

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
