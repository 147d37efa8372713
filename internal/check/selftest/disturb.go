package selftest

import (
	"slices"
	"time"

	"github.com/upflab/upflab/internal/machine/disturbance/hold"
	"github.com/upflab/upflab/internal/record"
)

// hogged lets a program with real-time priority take the CPU in turns.
func hogged(t turns) func(cpu int) (func() error, error) {
	return func(cpu int) (func() error, error) { return startHog(cpu, t).end, nil }
}

// held keeps the CPU in a hard interrupt for length in each period.
func held(length, period time.Duration) func(cpu int) (func() error, error) {
	return func(cpu int) (func() error, error) {
		h, err := hold.Start(cpu, length, period)
		if err != nil {
			return nil, err
		}
		return h.Close, nil
	}
}

// excluded: something was, for that cause, and not everything.
func excluded(cause string) check {
	return func(e evidence, _ []evidence) []Row {
		x := e.trial.Excluded
		switch {
		case x == nil:
			return []Row{failed("excluded", "the CPUs were not watched")}
		case x.Void:
			return []Row{failed("excluded", "%.3g %% of the trial was disturbed, too much to exclude it", 100*x.Ratio())}
		}
		found := slices.ContainsFunc(x.Causes, func(d record.Disturbance) bool { return d.Cause == cause })
		return []Row{word("excluded", "yes", yes(x.Windows > 0)), word("cause named: "+cause, "yes", yes(found))}
	}
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// harmless is the loss that a trial without disturbances may have, and harmlessNS the
// 99th percentile of its delay: a fifth of what a turn of a disturbance would make it.
const (
	harmless   = 1e-3
	harmlessNS = 1e6
)

// unharmed: the figures are those of a device that was not disturbed.
func unharmed(e evidence, _ []evidence) []Row {
	t := e.trial
	if t.Latency == nil {
		return []Row{failed("latency", "no packet counts")}
	}
	rows := []Row{within("latency p99", Nanoseconds, 0, float64(t.Latency.P99), harmlessNS)}
	if t.Kind != record.KindLoad {
		return rows
	}
	return append(rows,
		within("lost", Packets, 0, float64(t.TxPackets-min(t.TxPackets, t.RxPackets)), harmless*float64(t.TxPackets)),
		within("received rate", PerSecond, t.Load.PPS, t.RxPPS, rateShare*t.Load.PPS))
}

// stalls: a device that stalls for length (ns), for that share of the time, delays as many
// packets by up to length: as far as the 99th percentile goes, all of it shows.
func stalls(length, share float64) check {
	return func(e evidence, _ []evidence) []Row {
		t := e.trial
		if t.Kind != record.KindLoad {
			return nil
		}
		if t.Latency == nil {
			return []Row{failed("latency", "no packet counts")}
		}
		p99 := length * (1 - 0.01/share)
		return []Row{within("latency p99", Nanoseconds, p99, float64(t.Latency.P99), stallShare*p99)}
	}
}

// stallShare is by how much the 99th percentile of stalls may be off: a device that polls
// has the backlogs of others' disturbances for long.
const stallShare = 0.15
