package record

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
	// Causes are what disturbed the machine, that which took most first.
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

// What of the time that counts backlogs may be in, of disturbances that were not seen to end,
// from where on latency is bounded and not measured. So many packets move p99 by a hundredth of
// the share that it leaves, and p99.9 by a tenth.
const backlogMax = 1e-4

// windowS is the length of a window, s.
const windowS = 1.048576e-3

// Bounds reports whether the latency of what was kept is no more than an upper bound of
// that without disturbances.
func (x *Excluded) Bounds() bool {
	return x != nil && !x.Void && x.Windows > 0 && x.BacklogS > backlogMax*windowS*float64(x.Of-min(x.Of, x.Windows))
}

// Lost is how many packets were lost of those that do not count.
func (x *Excluded) Lost() uint64 {
	if x == nil || x.TxPackets < x.RxPackets {
		return 0
	}
	return x.TxPackets - x.RxPackets
}
