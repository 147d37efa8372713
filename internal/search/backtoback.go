package search

import (
	"context"
	"fmt"
	"time"
)

// BurstTrial sends that many packets as close together as the medium lets them
// and returns what became of them. The device is idle before, and has time to
// empty its buffers after (RFC 9004 clause 6.2: 2 s at least). Errors are as
// with Trial.
type BurstTrial func(ctx context.Context, packets uint64) (Outcome, error)

// BackToBack looks for the longest burst without loss (RFC 9004, which updates
// RFC 2544 clause 26.4), several times, and computes the buffer behind it.
type BackToBack struct {
	// Bursts of MinPackets, MinPackets + StepPackets ... up to MaxPackets.
	MinPackets, MaxPackets, StepPackets uint64
	// Searches is N, how often the whole search is done; 1 and up.
	Searches     int
	Verification LossVerification
	// TheoreticalPPS is the maximum rate of the medium, at which bursts are sent;
	// ThroughputPPS is the device's throughput at this frame size (clause 5).
	// Packets/s. The device's buffer fills only when it is slower.
	TheoreticalPPS, ThroughputPPS float64
	// LeastRate is the part of TheoreticalPPS that bursts have to be sent at, 0..1;
	// 0 means 0.95. One that was not is repeated, as Limits.Repeats says. Buffers are
	// computed from the rates that they were sent at.
	LeastRate float64
	// EmptyDelay is the one-way delay through the idle device; 0: not known. With
	// it, and the delays of bursts, the buffer is found by what waits in it.
	EmptyDelay time.Duration
	Limits     Limits
	Conditions Conditions
}

// Run searches N times; for errors see [MLRsearch.Run].
func (b BackToBack) Run(ctx context.Context, t BurstTrial) (BurstReport, error) {
	report := BurstReport{Conditions: b.Conditions, settings: b}
	if err := b.check(); err != nil {
		return report, err
	}
	if b.LeastRate == 0 {
		b.LeastRate = leastSent
	}
	report.settings = b
	r := newRunner(b.Limits)
	var ended error
	for range b.Searches {
		longest, reason, err := b.once(ctx, t, r)
		if err != nil {
			ended = err
			break
		}
		if reason.Code != "" {
			report.Reasons = append(report.Reasons, reason)
			break
		}
		report.Longest = append(report.Longest, longest)
		last := r.longest(longest)
		report.seconds, report.delays = append(report.seconds, last.Seconds), append(report.delays, last.MaxDelay)
	}
	if reason, early := reasonOf(ended); early {
		report.Reasons = append(report.Reasons, reason)
	}
	report.Trials, report.Elapsed = r.records(), r.elapsed()
	report.finish()
	return report, failure(ended)
}

func (b BackToBack) check() error {
	errs := []error{b.Limits.check(), b.Verification.check()}
	if b.MinPackets < 1 || b.MaxPackets <= b.MinPackets {
		errs = append(errs, fmt.Errorf("bursts of %d to %d packets: use 1 or more, and more than that", b.MinPackets, b.MaxPackets))
	} else if b.StepPackets < 1 || b.StepPackets > b.MaxPackets-b.MinPackets {
		errs = append(errs, fmt.Errorf("steps of %d packets from %d to %d: use 1 up to their distance", b.StepPackets, b.MinPackets, b.MaxPackets))
	}
	if b.Searches < 1 {
		errs = append(errs, fmt.Errorf("%d searches: use 1 or more", b.Searches))
	}
	if !(b.LeastRate >= 0 && b.LeastRate <= 1) {
		errs = append(errs, fmt.Errorf("bursts at %v of the highest rate: use 0 to 1", b.LeastRate))
	}
	if !(b.ThroughputPPS > 0 && b.ThroughputPPS < b.TheoreticalPPS && b.TheoreticalPPS <= 1e12) {
		errs = append(errs, fmt.Errorf("throughput %v and highest rate %v packets/s: bursts fill a buffer only when the throughput is known and lower (RFC 9004 clause 5)",
			b.ThroughputPPS, b.TheoreticalPPS))
	}
	return settings(errs...)
}

// once is one search: the longest burst without loss, or why there is none.
func (b BackToBack) once(ctx context.Context, t BurstTrial, r *runner) (uint64, Reason, error) {
	packets := func(n uint64) uint64 { return b.MinPackets + n*b.StepPackets }
	good := func(n uint64) (bool, error) {
		j, err := b.Verification.judge(ctx, r, b.burst(t, packets(n)), 0)
		return j.good, err
	}
	top := (b.MaxPackets - b.MinPackets) / b.StepPackets
	lo, hi, err := gallop(top, good)
	switch {
	case err != nil:
		return 0, Reason{}, err
	case hi == 0:
		return 0, because(NoLowerBound, "already a burst of %d packets loses some: allow shorter bursts, or see whether the device forwards at all", packets(0)), nil
	case lo == top:
		return 0, because(NoUpperBound, "a burst of %d packets is carried whole: the buffer is larger; allow longer bursts", packets(top)), nil
	}
	n, _, err := halving(lo, hi, good)
	return packets(n), Reason{}, err
}

func (b BackToBack) burst(t BurstTrial, packets uint64) want {
	seconds := float64(packets) / b.TheoreticalPPS
	return want{
		phase: PhaseSearch, pps: b.TheoreticalPPS, frames: packets, duration: time.Duration(seconds * float64(time.Second)),
		slowest: b.LeastRate * b.TheoreticalPPS,
		do:      func(ctx context.Context, _ time.Duration) (Outcome, error) { return t(ctx, packets) },
	}
}
