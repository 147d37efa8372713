package figure

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// ofTrials are the figures of load and latency trials.
func ofTrials() []Figure {
	list := []Figure{
		{Name: "rx_pps", Unit: PPS, Doc: "rate of what arrived right", Bench: true, Offered: true,
			trial: func(t *record.Trial) float64 { return t.RxPPS }},
		{Name: "tx_pps", Unit: PPS, Doc: "rate that was sent", Bench: true, Offered: true,
			trial: func(t *record.Trial) float64 { return t.TxPPS }},
		{Name: "rx_l2_bps", Unit: BPS, Doc: "rate of what arrived right, Ethernet header on, no FCS", Bench: true,
			trial: func(t *record.Trial) float64 { return t.RxL2bps }},
		{Name: "frame_loss_ratio", Unit: Ratio, Doc: "lost / sent", Bench: true, Unloaded: true,
			trial: func(t *record.Trial) float64 { return t.FrameLossRatio }},
		{Name: "lost_in_a_row", Unit: Count, Doc: "the most packets of a session lost in a row", Bench: true, Unloaded: true,
			trial: func(t *record.Trial) float64 { return float64(record.LongestRun(t.LossRuns)) }},
	}
	list = append(list, distribution("latency", "one-way latency from the intended send time",
		func(t *record.Trial) *record.Latency { return t.Latency })...)
	list = append(list, distribution("latency_from_send", "one-way latency from the real send time",
		func(t *record.Trial) *record.Latency { return t.Actual })...)
	list = append(list, distribution("round_trip",
		"from a generator to the sink's host and back, both ways through the UPF, where hosts have clocks "+
			"of their own", ofRoundTrip)...)
	list = append(list, distribution("at_dut", "delay between the ports of the UPF",
		func(t *record.Trial) *record.Latency { return t.AtDUT })...)
	list = append(list, distribution("pdv", "delay variation (RFC 5481 clause 4.2)",
		func(t *record.Trial) *record.Latency { return t.PDV })...)
	return append(list,
		Figure{Name: "jitter", Unit: Nanos, Doc: "interarrival jitter (RFC 3550)", Bench: true, Unloaded: true,
			trial: func(t *record.Trial) float64 { return positive(t.JitterNS) }},
		Figure{Name: "duplicates", Unit: Count, Doc: "packets that arrived twice", AnySpeed: true,
			trial: func(t *record.Trial) float64 { return float64(t.Duplicates) }},
		Figure{Name: "reordered", Unit: Count, Doc: "packets overtaken within their session (RFC 4737)", AnySpeed: true,
			trial: func(t *record.Trial) float64 { return float64(t.Reordered) }},
		Figure{Name: "ce_marked", Unit: Count, Doc: "packets with a mark of congestion (ECN, RFC 3168)", AnySpeed: true,
			trial: func(t *record.Trial) float64 {
				if t.ECN == "" {
					return none()
				}
				return float64(t.CEMarked)
			}},
		Figure{Name: "wrong", Unit: Count, Doc: "packets that arrived otherwise than the rules ask", AnySpeed: true,
			trial: func(t *record.Trial) float64 { return float64(t.Wrong) }},
		Figure{Name: "dut_cores", Unit: Cores, Doc: "CPU of the UPF",
			trial: func(t *record.Trial) float64 { return t.CPU.DUTCores }, bounds: ofCPU},
		Figure{Name: "cpu_ns_per_packet", Unit: Nanos, Doc: "CPU time of the UPF for a packet that arrived",
			trial: (*record.Trial).CPUNSPerPacket, bounds: ofCPU},
		Figure{Name: "program_ns_per_packet", Unit: Nanos, Doc: "run time of its XDP program, with bpf_stats",
			trial: func(t *record.Trial) float64 { return positive(t.ProgramNS) }},
		Figure{Name: "cpu.instructions_per_packet", Unit: Count,
			Doc:   "instructions of the UPF's CPUs for a packet that arrived, by their counters",
			trial: counter(func(c *record.Counters) *float64 { return c.Instructions })},
		Figure{Name: "cpu.cycles_per_packet", Unit: Count, Doc: "their cycles",
			trial: counter(func(c *record.Counters) *float64 { return c.Cycles })},
		Figure{Name: "cpu.cache_misses_per_packet", Unit: Count, Doc: "their accesses to memory that no cache had",
			trial: counter(func(c *record.Counters) *float64 { return c.CacheMisses })},
		Figure{Name: "cpu.branch_misses_per_packet", Unit: Count, Doc: "their branches that were mispredicted",
			trial: counter(func(c *record.Counters) *float64 { return c.BranchMisses })},
		Figure{Name: "memory_bytes", Unit: Bytes, Doc: "memory of the UPF's processes and BPF maps", AnySpeed: true,
			trial: func(t *record.Trial) float64 { return positive(float64(t.MemoryBytes)) }},
		Figure{Name: "joules_per_gbit", Unit: Joules, Doc: "energy of the machine's processors for 10^9 bits that arrived",
			trial: energy},
		Figure{Name: "joules_per_packet", Unit: PacketJoules, Doc: "energy of the machine's processors for a packet that arrived",
			trial: packetEnergy},
	)
}

func ofRoundTrip(t *record.Trial) *record.Latency {
	if t.RoundTrip == nil {
		return nil
	}
	return t.RoundTrip.Latency
}

// ofCPU: of a UPF that upflab did not place its process alone may be watched.
func ofCPU(t *record.Trial) (atMost, atLeast string) {
	if t.CPU.AtLeast {
		atLeast = "it is at least that: " + record.ProcessAlone
	}
	return "", atLeast
}

func packetEnergy(t *record.Trial) float64 {
	if t.Energy == nil {
		return none()
	}
	return positive(t.Energy.Watts / t.WholeRxPPS())
}

// counter is a figure of the processor's counters.
func counter(of func(*record.Counters) *float64) func(*record.Trial) float64 {
	return func(t *record.Trial) float64 {
		if t.Counters == nil || of(t.Counters) == nil {
			return none()
		}
		return *of(t.Counters)
	}
}

func energy(t *record.Trial) float64 {
	if t.Energy == nil {
		return none()
	}
	return positive(t.Energy.JoulesPerGbit)
}

// distribution are the figures of a distribution of times.
func distribution(name, doc string, of func(*record.Trial) *record.Latency) (list []Figure) {
	for _, part := range []struct {
		name string
		of   func(*record.Latency) float64
	}{
		{"min", func(l *record.Latency) float64 { return float64(l.Min) }},
		{"mean", func(l *record.Latency) float64 { return l.Mean }},
		{"p50", func(l *record.Latency) float64 { return float64(l.P50) }},
		{"p90", func(l *record.Latency) float64 { return float64(l.P90) }},
		{"p99", func(l *record.Latency) float64 { return float64(l.P99) }},
		{"p999", func(l *record.Latency) float64 { return float64(l.P999) }},
		{"p9999", func(l *record.Latency) float64 { return float64(l.P9999) }},
		{"max", func(l *record.Latency) float64 { return float64(l.Max) }},
	} {
		list = append(list, Figure{Name: name + "." + part.name, Unit: Nanos, Doc: doc, Bench: true, Unloaded: true,
			trial: func(t *record.Trial) float64 {
				l := of(t)
				if l == nil || l.Count == 0 || part.of(l) < float64(l.Min) { // below the least: an older result has no such quantile
					return none()
				}
				return part.of(l)
			},
			bounds: func(t *record.Trial) (atMost, atLeast string) {
				l := of(t)
				switch {
				case l == nil:
					return "", ""
				case l == t.Latency && l.AtMost(part.of(l)), l != t.Latency && t.Latency != nil && t.Latency.UpperBound:
					atMost = waited
				case slices.Contains(l.Unresolved, part.name):
					atMost = unresolved
				}
				if l.AtLeast(part.of(l)) || part.name == "mean" && l.MeanAtLeast() {
					atLeast = neverSent
				}
				return atMost, atLeast
			}})
	}
	return list
}

// Why a time is a bound.
const (
	waited     = "it is at most that: packets that waited for a disturbance may be in it; measure on a quieter machine, or at a lower load"
	unresolved = "it is at most that: delays are known to 0.8 %, which is over a tenth of this difference of two; " +
		"ask for its mean or its maximum, which are exact"
	neverSent = "it is at least that: " + record.NeverSent + "; measure on a quieter machine"
)
