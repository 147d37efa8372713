package search

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
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
		errs = append(errs, fmt.Errorf("steps of %d packets from %d to %d: use 1 up to their distance", b.StepPackets,
			b.MinPackets, b.MaxPackets))
	}
	if b.Searches < 1 {
		errs = append(errs, fmt.Errorf("%d searches: use 1 or more", b.Searches))
	}
	if !(b.LeastRate >= 0 && b.LeastRate <= 1) {
		errs = append(errs, fmt.Errorf("bursts at %v of the highest rate: use 0 to 1", b.LeastRate))
	}
	if !(b.ThroughputPPS > 0 && b.ThroughputPPS < b.TheoreticalPPS && b.TheoreticalPPS <= 1e12) {
		errs = append(errs, fmt.Errorf("throughput %v and highest rate %v packets/s: bursts fill a buffer only "+
			"when the throughput is known and lower (RFC 9004 clause 5)",
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
		return 0, because(record.ReasonNoLowerBound,
			"already a burst of %d packets loses some: allow shorter bursts, or see whether the device "+
				"forwards at all", packets(0)), nil
	case lo == top:
		return 0, because(record.ReasonNoUpperBound, "a burst of %d packets is carried whole: the buffer is larger; allow longer bursts", packets(top)), nil
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

// BurstReport is the result of BackToBack.
type BurstReport struct {
	Longest []uint64 // packets, of each search
	// Average is the Back-to-Back Frames benchmark, packets (RFC 9004 clause
	// 6.4); StdDev that of the sample, 0 for one search. They, Min and Max are
	// 0 unless Valid.
	Average, StdDev float64
	Min, Max        uint64
	// ImpliedBuffer is the time the average burst takes to send; CorrectedBuffer
	// leaves out what the device forwards meanwhile.
	ImpliedBuffer, CorrectedBuffer time.Duration
	// BufferPackets is what lies in the device when the burst ends: by how long its
	// last packet waits where that is known, else the corrected buffer in packets.
	BufferPackets float64
	// BurstPPS is the rate at which the longest bursts were sent, packets/s;
	// ThroughputPPS is what the correction takes the device to forward meanwhile.
	BurstPPS, ThroughputPPS float64
	// LimitedBy says what lost packets of bursts that were too long: one of the
	// Limit constants of package analysis, or "".
	LimitedBy  record.Limit
	Trials     []Record
	Elapsed    time.Duration
	Reasons    []Reason // why there is no result; none when there is
	Conditions Conditions
	settings   BackToBack
	seconds    []float64       // that the bursts of Longest took to send
	delays     []time.Duration // longest in each of them
}

// longest is the latest burst of so many packets that lost none.
func (r *runner) longest(packets uint64) Outcome {
	for i := len(r.log) - 1; i >= 0; i-- {
		if l := r.log[i]; l.Used && l.Frames == packets && l.Outcome.Lost == 0 {
			return l.Outcome
		}
	}
	return Outcome{}
}

// waiting is how many packets lay in the device at most, by how long the last one
// waited for them: itself, and what is forwarded in that time. It needs no
// knowledge of when the device began to forward. false: delays are not known.
func (r *BurstReport) waiting() (packets float64, ok bool) {
	var all []float64
	for _, d := range r.delays {
		if d > 0 {
			all = append(all, 1+max(0, (d-r.settings.EmptyDelay).Seconds())*r.ThroughputPPS)
		}
	}
	return stats.Median(all), r.settings.EmptyDelay > 0 && len(all) > 0 && len(all) == len(r.Longest)
}

// leastSent is how close to the theoretical rate bursts have to come.
const leastSent = 0.95

// Valid reports whether all searches found a longest burst, and the bursts were
// sent at the rate they should.
func (r BurstReport) Valid() bool { return len(r.Longest) > 0 && len(r.Reasons) == 0 }

// finish computes the figures of RFC 9004 clause 6.4.
func (r *BurstReport) finish() {
	if !r.Valid() {
		return
	}
	r.Min, r.Max = r.Longest[0], r.Longest[0]
	sum := 0.0
	for _, n := range r.Longest {
		r.Min, r.Max = min(r.Min, n), max(r.Max, n)
		sum += float64(n)
	}
	n := float64(len(r.Longest))
	r.Average = sum / n
	square := 0.0
	for _, l := range r.Longest {
		square += (float64(l) - r.Average) * (float64(l) - r.Average)
	}
	r.StdDev = math.Sqrt(square / max(1, n-1))
	r.BurstPPS, r.ThroughputPPS, r.LimitedBy = r.rate(), r.settings.ThroughputPPS, r.limit()
	r.ImpliedBuffer, r.CorrectedBuffer = BufferTime(r.Average, r.ThroughputPPS, r.BurstPPS)
	r.BufferPackets = max(0, r.Average*(1-r.ThroughputPPS/r.BurstPPS))
	if waiting, ok := r.waiting(); ok {
		r.BufferPackets = waiting
	}
}

// rate is that of the longest bursts, packets/s, as they were sent; where that
// was not measured, as they should be.
func (r *BurstReport) rate() float64 {
	packets, seconds := 0.0, 0.0
	for i, s := range r.seconds {
		if r.Longest[i] >= timedBurst && s > 0 {
			packets, seconds = packets+float64(r.Longest[i]), seconds+s
		}
	}
	if !(seconds > 0) {
		return r.settings.TheoreticalPPS
	}
	return packets / seconds
}

// limit names what lost packets most often.
func (r *BurstReport) limit() record.Limit {
	var lossy []sample
	for _, t := range r.Trials {
		if t.Used && t.Outcome.Lost > 0 {
			lossy = append(lossy, sample{duration: 1, loss: t.Outcome.lossRatio(), limitedBy: t.Outcome.LimitedBy})
		}
	}
	return limitedBy(lossy, true, 0)
}

// BufferTime computes the Implied DUT Buffer Time and the Corrected DUT Buffer
// Time of RFC 9004 clause 6.4 from the average longest burst, packets, and the
// rates, packets/s, throughput below theoretical.
func BufferTime(average, throughput, theoretical float64) (implied, corrected time.Duration) {
	seconds := average / theoretical
	return toDuration(seconds), toDuration(seconds * (1 - throughput/theoretical))
}

func toDuration(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// longestBurst is how long bursts may have to be, RFC 9004 clause 6.2.
const longestBurst = 30 * time.Second

// Standard gives the name of the standard the result may carry, and what is
// missing for it. Either is empty.
func (r BurstReport) Standard() (name string, missing []string) {
	if !r.Valid() {
		missing = append(missing, "no longest burst was found")
	}
	if r.settings.Searches < 2 {
		missing = append(missing, "the search was not repeated (RFC 9004 clause 6.3)")
	}
	if !r.Conditions.LineRate {
		missing = append(missing,
			"bursts were sent as fast as the generator can: that this is the medium's maximum is not known (RFC "+
				"9004 clause 6.2)")
	}
	if limit := float64(r.settings.MaxPackets) / r.settings.TheoreticalPPS; limit < longestBurst.Seconds() {
		missing = append(missing, fmt.Sprintf("bursts were limited to %.3g s, not %v (RFC 9004 clause 6.2)", limit, longestBurst))
	}
	return named(StandardBackToBack, append(missing, r.Conditions.waits()...))
}
