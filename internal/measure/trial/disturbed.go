package trial

import (
	"slices"

	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
)

// MostTimes is how many times as long as asked a trial takes at most for the
// undisturbed time that was asked for, and a run for its trials.
const MostTimes = 3

// leastPart: with less than this part of the time asked for undisturbed, everything
// counts.
const leastPart = 10

// causesMax is how many originators of disturbances a trial lists.
const causesMax = 8

// excluded is what of the trial does not count; nil: it did not count by windows.
func (m *measured) excluded() *record.Excluded {
	o := &m.outcome.Excluded
	if o.Of == 0 {
		return nil
	}
	x := &record.Excluded{Windows: o.Windows, Of: o.Of, Seconds: o.Seconds, Void: o.Void, TxPackets: o.Sent,
		Disturbances: m.Disturbed.Of, Cut: m.Disturbed.Cut, BacklogS: m.Disturbed.Backlog}
	for _, n := range o.Received {
		x.RxPackets += n
	}
	for i, e := range m.Disturbed.Entries {
		if i == causesMax {
			break
		}
		x.Causes = append(x.Causes, record.Disturbance{Cause: string(e.Cause), Who: e.Who, CPU: e.CPU, Count: e.Count,
			Seconds: e.Seconds, Longest: e.Longest})
	}
	return x
}

// undisturbed is the evidence of the windows that count, as far as it can be told from
// that of the whole trial.
func (j judge) undisturbed(e verdict.Evidence, t *record.Trial, m *measured) verdict.Evidence {
	if t.Excluded == nil {
		return e
	}
	e.Disturber, e.DisturbedS, e.Void = disturber(t.Excluded), t.Excluded.Seconds, t.Excluded.Void
	if e.Void {
		return e
	}
	d := disturbances{took: t.DurationS + t.Excluded.Seconds, dut: j.placement.DUT, run: meters.RunCPUs(j.placement, j.ours), usage: &m.Usage, of: m.Disturbed}
	return d.without(e, t.Excluded.Lost())
}

// disturbances are those of a trial that took so many seconds.
type disturbances struct {
	took     float64
	dut, run []int // CPUs: the DUT's, and all of the run
	usage    *telemetry.Usage
	of       disturbance.Summary
}

// others is the share of the time of CPUs that others and interrupts had, 0..1.
func (d disturbances) others(cpus ...int) float64 {
	return share(d.of, cpus, d.took, disturbance.Others, disturbance.Interrupts)
}

// stolen is what the hypervisor took, 0..1, of the CPU of which it took most besides what
// pauses account for, which do not count.
func (d disturbances) stolen() (most float64) {
	for _, cpu := range d.run {
		most = max(most, d.usage.Stolen[cpu]-share(d.of, []int{cpu}, d.took, disturbance.Paused))
	}
	return most
}

// busiest is how busy the DUT's busiest CPU was without others, 0..1.
func (d disturbances) busiest() (most float64) {
	for _, cpu := range d.dut {
		others := d.others(cpu)
		if rest := 1 - others; rest > 0 {
			most = max(most, (d.usage.Busy[cpu]-others)/rest)
		}
	}
	return most
}

// share is the part of the CPUs' time that disturbances of some causes took.
func share(s disturbance.Summary, cpus []int, took float64, causes ...disturbance.Cause) float64 {
	cpus = slices.Compact(slices.Sorted(slices.Values(cpus)))
	var sum float64
	for _, e := range s.Entries {
		if slices.Contains(cpus, e.CPU) && slices.Contains(causes, e.Cause) {
			sum += e.Seconds
		}
	}
	if took <= 0 || len(cpus) == 0 {
		return 0
	}
	return min(1, sum/took/float64(len(cpus)))
}

// without takes from the evidence of a whole trial what disturbances account for. lost is
// what was lost of the packets that do not count. Where they were lost is not known: inside
// the DUT rather than before it, for the burden of proof is on what blames the DUT.
func (d disturbances) without(e verdict.Evidence, lost uint64) verdict.Evidence {
	e.StealRatio = d.stolen()
	others := d.others(d.dut...)
	if rest := 1 - others; rest > 0 {
		e.RunQueueDelay = max(0, e.RunQueueDelay-others) / rest
		e.DUTCoreBusy = max(0, e.DUTCoreBusy-others) / rest
		if e.DUTCores /= rest; e.DUTCoreCount > 0 {
			e.DUTCores = min(e.DUTCores, float64(e.DUTCoreCount))
		}
		e.BusiestThread = min(1, e.BusiestThread/rest)
	}
	e.BusiestCore = min(e.BusiestCore, d.busiest())
	e.DUTDrops -= min(e.DUTDrops, lost)
	e.QueueDrops -= min(e.QueueDrops, lost)
	missing := e.Tx - min(e.Tx, e.Rx)
	e.LinkDrops, e.SinkDrops = min(e.LinkDrops, missing), min(e.SinkDrops, missing)
	return e
}

// disturber names what took most.
func disturber(x *record.Excluded) string {
	if len(x.Causes) == 0 {
		return ""
	}
	if c := x.Causes[0]; c.Cause == string(disturbance.Others) || c.Cause == string(disturbance.Interrupts) {
		return c.Who
	}
	return ""
}
