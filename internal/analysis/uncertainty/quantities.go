package uncertainty

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// quantity is a headline figure of trials.
type quantity struct {
	name, unit string
	of         func(*record.Trial) float64 // NaN: the trial does not have it
	sources    func(trials []*record.Trial, value float64) []record.Source
}

func quantities() []quantity {
	return []quantity{
		{"rx_pps", "packets/s", func(t *record.Trial) float64 { return t.RxPPS }, ofRate},
		{"frame_loss_ratio", "ratio", func(t *record.Trial) float64 { return t.FrameLossRatio }, ofLoss},
		{"latency.p50", "ns", latency(func(l *record.Latency) uint64 { return l.P50 }), ofQuantile("p50", func(l *record.Latency) (low, high, step uint64) {
			return l.P50Low, l.P50High, l.P50Step
		})},
		{"latency.p99", "ns", latency(func(l *record.Latency) uint64 { return l.P99 }), ofQuantile("p99", func(l *record.Latency) (low, high, step uint64) {
			return l.P99Low, l.P99High, l.P99Step
		})},
		{"cpu_ns_per_packet", "ns", (*record.Trial).CPUNSPerPacket, ofCPU},
	}
}

func latency(of func(*record.Latency) uint64) func(*record.Trial) float64 {
	return func(t *record.Trial) float64 {
		if t.Latency == nil || t.Latency.Count == 0 {
			return math.NaN()
		}
		return float64(of(t.Latency))
	}
}

func mean(trials []*record.Trial, of func(*record.Trial) float64) float64 {
	var list []float64
	for _, t := range trials {
		list = append(list, of(t))
	}
	return stats.Mean(list)
}

// ofRate: the span of a trial is from its first packet to its last, which is known to a gap.
func ofRate(trials []*record.Trial, value float64) []record.Source {
	one := mean(trials, func(t *record.Trial) float64 { return 1 / max(t.DurationS, 1e-9) })
	return []record.Source{
		known(record.Source{Source: TimeStamps, Type: "B"}, rectangular(one), 0, "a packet more or less in the time of a trial, rectangular"),
		exclusion(trials), clock(trials),
	}
}

func ofLoss(trials []*record.Trial, _ float64) []record.Source {
	return []record.Source{
		{Source: Arrivals, Type: "A", Why: "losses depend on each other by an amount that one trial does not show: repeatability has it"},
		exclusion(trials),
		wire("what wire loses at this load is part of the loss"),
	}
}

// ofQuantile: the interval within a trial is that of packets that queue together; repeats contain it.
func ofQuantile(name string, interval func(*record.Latency) (low, high, step uint64)) func([]*record.Trial, float64) []record.Source {
	return func(trials []*record.Trial, value float64) []record.Source {
		arrivals := record.Source{Source: Arrivals, Type: "A"}
		variance, step, told := 0.0, 0.0, true
		for _, t := range trials {
			low, high, coarse := interval(t.Latency)
			told = told && high > 0
			u := float64(high-min(low, high)) / (2 * stats.Reach(1, 0))
			variance += u * u
			step = max(step, float64(coarse))
		}
		n := float64(len(trials))
		switch {
		case !told:
			arrivals.Why = fmt.Sprintf("a trial has no interval of its %s (interval_not_known)", name)
		default:
			arrivals = known(arrivals, math.Sqrt(variance)/n, 0, "the interval within a trial, of packets that queue together")
			if len(trials) > 1 {
				arrivals.Within = Repeatability
			}
		}
		resolution := known(record.Source{Source: TimeStamps, Type: "B"}, rectangular(max(record.LatencyBucket*value, step)), 0,
			"the width of a bucket of the histogram, rectangular")
		return []record.Source{arrivals, resolution, exclusion(trials), wire("both links are in the figure: subtract wire's at the same load"), clock(trials)}
	}
}

// ofCPU: CPU times are read at the first slot and at the last, within 2 ms each.
func ofCPU(trials []*record.Trial, value float64) []record.Source {
	const reading = 2e-3 // s
	s := record.Source{Source: Attribution, Type: "B"}
	for _, t := range trials {
		if t.CPU.AtLeast {
			s.Why = "only the process of the UPF is watched: what the kernel does for it is not in the figure"
			return []record.Source{s}
		}
	}
	share := mean(trials, func(t *record.Trial) float64 { return math.Sqrt2 * rectangular(reading) / max(t.DurationS, 1e-9) })
	s = known(s, share*value, 0, "CPU times are read within 2 ms at each end of a trial, rectangular")
	return []record.Source{s, wire("with two CPUs the sink's work is in the figure: subtract wire's")}
}

// exclusion: packets and time are excluded together, by the time at which packets were due. What may be left is the
// backlog of disturbances.
func exclusion(trials []*record.Trial) record.Source {
	s := record.Source{Source: Exclusion, Type: "B"}
	for _, t := range trials {
		switch {
		case t.Excluded == nil:
		case t.Excluded.Void:
			s.Why = "a trial was disturbed nearly throughout, so that everything counts"
			return s
		case t.Excluded.Bounds():
			s.Why = "backlogs of disturbances may be in what counts"
			return s
		}
	}
	return known(s, 0, 0, "packets and time are excluded together, with the backlog")
}

func wire(why string) record.Source {
	return record.Source{Source: Wire, Type: "B", Why: why}
}

// clock is how wrong a second is.
func clock(trials []*record.Trial) record.Source {
	s := record.Source{Source: Clock, Type: "B", Why: "CLOCK_MONOTONIC was compared with no other clock"}
	if e := mean(trials, func(t *record.Trial) float64 { return float64(t.ClockErrorNS) }); e > 0 {
		s.Why = fmt.Sprintf("the hosts' clocks agree to %.3g us; no other clock was asked", e/1e3)
	}
	return s
}

// found are the budgets of what a search found.
func found(d *record.DUT, s *record.Search, c *record.Calibration) (list []record.Uncertainty) {
	for _, g := range s.Goals {
		if !g.Valid || g.UpperPPS == 0 {
			continue
		}
		b := record.Uncertainty{DUT: d.Label(), Of: fmt.Sprintf("search %s %s", s.Direction, s.SizeName()), Kind: record.KindSearch, Where: s.Direction,
			Figure: string(g.Name) + "_pps", Unit: "packets/s", Value: g.LowerPPS, Trials: len(s.Trials)}
		b.Sources = []record.Source{
			{Source: Repeatability, Type: "A", Why: "one search: repeats show how far the next one ends"},
			betweenRuns(c, "rx_pps", record.Load{}, g.LowerPPS),
			known(record.Source{Source: Search, Type: "B"}, rectangular(g.UpperPPS-g.LowerPPS), 0, "between the relevant bounds, rectangular"),
			{Source: Clock, Type: "B", Why: "CLOCK_MONOTONIC was compared with no other clock"},
		}
		combine(&b)
		list = append(list, b)
	}
	return list
}
