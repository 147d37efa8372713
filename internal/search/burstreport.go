package search

import (
	"fmt"
	"math"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
)

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
	LimitedBy  string
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
func (r *BurstReport) limit() string {
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
		missing = append(missing, "bursts were sent as fast as the generator can: that this is the medium's maximum is not known (RFC 9004 clause 6.2)")
	}
	if limit := float64(r.settings.MaxPackets) / r.settings.TheoreticalPPS; limit < longestBurst.Seconds() {
		missing = append(missing, fmt.Sprintf("bursts were limited to %.3g s, not %v (RFC 9004 clause 6.2)", limit, longestBurst))
	}
	return named(StandardBackToBack, append(missing, r.Conditions.waits()...))
}
