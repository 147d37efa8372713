// Package modelling fits queueing models to the trials of a result: what the record
// has is turned into points, and what comes out into the record.
package modelling

import (
	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

// streams are what was sent in valid trials, in order of first appearance. Of both
// directions at once there is no model: two queues have one latency there.
func streams(d *record.DUT) (list []record.Stream) {
	seen := map[record.Stream]bool{}
	for i := range d.Trials {
		t := &d.Trials[i]
		s := t.Stream()
		if t.InModels() && !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	return list
}

// pointsOf are the valid trials of a stream.
func pointsOf(d *record.DUT, s record.Stream) (points []queueing.Point, arrival queueing.Arrival, burst int) {
	for i := range d.Trials {
		t := &d.Trials[i]
		if !t.InModels() || t.Stream() != s {
			continue
		}
		p := point(t)
		p.LoadPPS = repeatedPPS(d, t)
		points = append(points, p)
		arrival, burst = arrivalOf(t.Arrivals)
	}
	return points, arrival, burst
}

// repeatedPPS is the load of a trial and its repeats, the mean of what was sent, packets/s:
// so a fit sees them as one load.
func repeatedPPS(d *record.DUT, t *record.Trial) float64 {
	sum, n := 0.0, 0.0
	for i := range d.Trials {
		if o := &d.Trials[i]; o.InModels() && o.Key() == t.Key() {
			sum, n = sum+o.TxPPS, n+1
		}
	}
	return sum / n
}

// fewest is of how many packets there are percentiles (RFC 8219, clause 7.2): of fewer the
// high ones are single packets.
const fewest = 500

func point(t *record.Trial) queueing.Point {
	p := queueing.Point{LoadPPS: t.TxPPS, LossRatio: t.FrameLossRatio, CPUCores: t.KeptCores(), Packets: t.TxPackets}
	setLatency(&p, t.Latency, fewest)
	return p
}

// setLatency gives a point the figures of a distribution, if there is one: percentiles where
// it has so many packets.
func setLatency(p *queueing.Point, l *record.Latency, least uint64) {
	if l == nil || l.Count == 0 {
		return
	}
	if p.MeanNS = l.Mean; l.Count >= least {
		p.P50NS, p.P99NS, p.P999NS = float64(l.P50), float64(l.P99), float64(l.P999)
		p.P95NS = min(quantile(l, 0.95), p.P99NS) // it is the end of a bucket
	}
}

// quantile reads a quantile from the histogram, ns; 0 where there is none.
func quantile(l *record.Latency, q float64) float64 {
	rank, seen := q*float64(l.Count), uint64(0)
	for _, b := range l.Buckets {
		if seen += b.Count; float64(seen) >= rank {
			return float64(b.UpTo)
		}
	}
	return 0
}

func arrivalOf(a *record.Arrivals) (queueing.Arrival, int) {
	if a == nil {
		return queueing.Constant, 0
	}
	switch a.Process {
	case "poisson":
		return queueing.Poisson, 0
	case "bursts":
		return queueing.Bursts, a.BurstPackets
	}
	return queueing.Unknown, 0
}
