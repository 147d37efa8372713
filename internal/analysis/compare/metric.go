package compare

import (
	"math"

	"github.com/upflab/upflab/internal/record"
)

// Metric is a figure that is compared, by its name among all figures: see figure.All.
type Metric string

// The metrics. CPU per packet is the DUT's CPU time per packet that arrived.
const (
	RxPPS     Metric = "rx_pps"                // packets/s, of unpaced load
	FrameLoss Metric = "frame_loss_ratio"      // 0..1, of paced load
	P50       Metric = "latency.p50"           // ns, of paced load and latency trials
	P99       Metric = "latency.p99"           // ns, of paced load and latency trials
	CPU       Metric = "cpu_ns_per_packet"     // of load
	Program   Metric = "program_ns_per_packet" // of load, where BPF statistics were on
)

// What searches found: rates in packets/s, the longest burst in packets.
const (
	NDR        Metric = "ndr_pps"
	PDR        Metric = "pdr_pps"
	Throughput Metric = "throughput_pps" // of a binary search
	GoalRate   Metric = "goal_pps"       // of a goal of the user's
	Burst      Metric = "back_to_back_packets"
)

// What a machine that counts instructions counted: of a packet, of it in the UPF's XDP program alone, and of a request of N4.
const (
	Instructions        Metric = "instructions_per_packet"
	ProgramInstructions Metric = "program_instructions_per_packet"
	RequestInstructions Metric = "instructions_per_request"
)

// Named is the metric of a name, which may be an old one. Check says whether there is one.
func Named(name string) Metric {
	switch name {
	case "latency_p50_ns":
		return P50
	case "latency_p99_ns":
		return P99
	}
	return Metric(name)
}

// Metrics lists all, in the order of a comparison.
func Metrics() []Metric {
	return []Metric{NDR, PDR, Throughput, GoalRate, Burst, RxPPS, FrameLoss, P50, P99, CPU, Program,
		Instructions, ProgramInstructions, RequestInstructions}
}

// HigherIsBetter reports whether more is an improvement.
func (m Metric) HigherIsBetter() bool { return m == RxPPS || m.OfSearch() }

// OfSearch reports whether a search finds the metric.
func (m Metric) OfSearch() bool {
	switch m {
	case NDR, PDR, Throughput, GoalRate, Burst:
		return true
	}
	return false
}

// searchMetric is what a search finds for a goal of that name.
func searchMetric(goal record.Goal) Metric {
	switch goal {
	case record.GoalNDR:
		return NDR
	case record.GoalPDR:
		return PDR
	case record.GoalThroughput:
		return Throughput
	case record.GoalBackToBack:
		return Burst
	}
	return GoalRate
}

// Additive reports whether changes are differences, not ratios.
func (m Metric) Additive() bool { return m == FrameLoss }

// Contains reports whether wire's figure is a part of the UPF's: what the bench adds to a
// delay, to CPU time and to loss. The bench need not be what limits a rate.
func (m Metric) Contains() bool { return m == FrameLoss || m == P50 || m == P99 || m == CPU }

// ofBench reports whether the bench, too, can hold the figure back. CPU time
// is the DUT's own, whatever limits the rate.
func (m Metric) ofBench() bool { return m != CPU && m != Program && !m.counted() }

// counted reports whether a machine that counts instructions has the metric.
func (m Metric) counted() bool {
	return m == Instructions || m == ProgramInstructions || m == RequestInstructions
}

// ofLatency reports whether the metric is a delay.
func (m Metric) ofLatency() bool { return m == P50 || m == P99 }

// applies reports whether trials of a kind and load have the metric.
func (m Metric) applies(k record.Key) bool {
	if k.Kind == record.KindSearch || m.OfSearch() {
		return k.Kind == record.KindSearch && m == searchMetric(k.Load.Of)
	}
	if k.Kind == record.KindInstructions || m.counted() {
		return k.Kind == record.KindInstructions && m.counted() && (m == RequestInstructions) == (k.Procedure != "")
	}
	load, unpaced := k.Kind == record.KindLoad, k.Load.Max()
	switch m {
	case RxPPS:
		return load && unpaced
	case FrameLoss:
		return load && !unpaced
	case P50, P99:
		return !load || !unpaced
	}
	return load
}

// of reads the metric; NaN when it was not measured.
func (m Metric) of(t *record.Trial) float64 {
	switch m {
	case RxPPS, NDR, PDR, Throughput, GoalRate, Burst:
		return positive(t.RxPPS)
	case FrameLoss:
		return t.FrameLossRatio
	case CPU:
		return t.CPUNSPerPacket()
	case Program:
		return positive(t.ProgramNS)
	case Instructions, RequestInstructions:
		return counted(t, func(x *record.Instructions) float64 { return x.Each })
	case ProgramInstructions:
		return counted(t, func(x *record.Instructions) float64 { return x.Program })
	}
	if t.Latency == nil || t.Latency.Count == 0 {
		return math.NaN()
	}
	return positive(m.ofDistribution(t.Latency))
}

func counted(t *record.Trial, of func(*record.Instructions) float64) float64 {
	if t.Counted == nil {
		return math.NaN()
	}
	return positive(of(t.Counted))
}

// ofDistribution reads a delay.
func (m Metric) ofDistribution(l *record.Latency) float64 {
	switch m {
	case P50:
		return float64(l.P50)
	case P99:
		return float64(l.P99)
	}
	return math.NaN()
}

func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return math.NaN()
}

// noLoss is the loss that counts as none when a trial is judged, and less.
const noLoss = 0.00001

// resolution is by how much equal figures may differ on the metric's scale.
func (m Metric) resolution(b Basis) float64 {
	switch m {
	case FrameLoss:
		return noLoss
	case P50, P99:
		if b == BasisWire { // wire's figures are as coarse
			return 2 * math.Log1p(record.LatencyBucket)
		}
		return math.Log1p(record.LatencyBucket)
	}
	return 0
}

// scale turns a figure, or a quotient of two, into what differences add up on.
func (m Metric) scale(v float64) float64 {
	if m.Additive() {
		return v
	}
	return math.Log(v)
}

// unscale turns a difference on the scale into a change.
func (m Metric) unscale(d float64) float64 {
	if m.Additive() {
		return d
	}
	return math.Expm1(d)
}

// worsening is the change by the threshold for the worse, on the scale, as a
// positive number.
func (m Metric) worsening(threshold float64) float64 {
	switch {
	case m.Additive():
		return threshold
	case m.HigherIsBetter():
		return -math.Log1p(-threshold)
	}
	return math.Log1p(threshold)
}
