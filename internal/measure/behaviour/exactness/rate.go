package exactness

import (
	"math"
	"slices"
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/record"
)

// A part of the traffic is steady while the sender makes no pause, in which a meter
// could gather room and lose what is too much: none over pause and pauses of its intervals.
const (
	pause  = 2 * time.Millisecond
	pauses = 4
	// drops is how many a part has at least, so that its ends round little.
	drops = 20
)

// Steady is the rate of what passed in steady parts, and for how long in all. It is counted
// from one dropped packet to a later one: a meter has no room at both, a queue is full at
// both. What was sent while the machine was disturbed, or when the sender caught up after a pause,
// is in no part. Where nothing was dropped it is the rate of everything.
func Steady(list []b.Fate) (bps float64, length time.Duration) {
	var octets int
	longest := max(pause, pauses*interval(list))
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && !unsteady(&list[from]) && !unsteady(&list[to]) && list[to].Sent.Sub(list[to-1].Sent) <= longest {
			to++
		}
		n, d := between(list[from:to])
		octets, length, from = octets+n, length+d, to
	}
	if length == 0 {
		return whole(list)
	}
	return float64(octets) * 8 / length.Seconds(), length
}

// enough is how much undisturbed time a rate takes. Where there is less, everything counts, as in
// trials.
const enough = 300 * time.Millisecond

// measure is Steady, and whether everything had to count.
func measure(list []b.Fate) (bps float64, length time.Duration, void bool) {
	if bps, length = Steady(list); length >= enough {
		return bps, length, false
	}
	all := slices.Clone(list)
	for i := range all {
		all[i].Disturbed = false
	}
	bps, length = Steady(all)
	return bps, length, true
}

// unsteady packets are in no part.
func unsteady(f *b.Fate) bool { return f.Disturbed || f.Late }

// interval is the usual one between packets.
func interval(list []b.Fate) time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(list); i++ {
		gaps = append(gaps, list[i].Sent.Sub(list[i-1].Sent))
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// between is what passed from the first to the last dropped packet of a part, and how long
// that took.
func between(part []b.Fate) (octets int, d time.Duration) {
	first, last, lost, passed := time.Time{}, time.Time{}, 0, 0
	for _, f := range part {
		switch {
		case !f.Arrived.IsZero() && lost > 0:
			passed += f.Octets
		case f.Arrived.IsZero():
			if lost++; lost == 1 {
				first = f.Sent
			}
			octets, last = passed, f.Sent
		}
	}
	if lost < drops {
		return 0, 0
	}
	return octets, last.Sub(first)
}

// whole is the rate of all that arrived, where hardly anything was dropped.
func whole(list []b.Fate) (bps float64, length time.Duration) {
	lost, octets := 0, 0
	for _, f := range list {
		if f.Arrived.IsZero() {
			lost++
		} else {
			octets += f.Octets
		}
	}
	if lost*100 > len(list) || len(list) < 2 {
		return 0, 0
	}
	length = list[len(list)-1].Sent.Sub(list[0].Sent)
	return float64(octets) * 8 / length.Seconds(), length
}

// fill computes what a limit did to packets that were sent after a silence.
func fill(r *record.RateLimit, list []b.Fate) {
	var length time.Duration
	r.MeasuredBPS, length, r.Void = measure(list)
	r.Error, r.SteadyS = r.MeasuredBPS/r.MBRBPS-1, length.Seconds()
	start, run, runs, lost, all := list[0].Sent, 0, 0, 0, 0
	for i, f := range list {
		all += f.Octets
		if f.Disturbed && i > 0 {
			r.DisturbedS += f.Sent.Sub(list[i-1].Sent).Seconds()
		}
		if !f.Arrived.IsZero() {
			run = 0
			continue
		}
		if lost == 0 {
			r.FirstLossS = f.Sent.Sub(start).Seconds()
		}
		if lost, run = lost+1, run+1; run == 1 {
			runs++
		}
		r.LossRunMax = max(r.LossRunMax, run)
	}
	r.LossRatio = float64(lost) / float64(len(list))
	if runs > 0 {
		r.LossRun = float64(lost) / float64(runs)
	}
	if took := list[len(list)-1].Sent.Sub(start).Seconds(); took > 0 {
		r.OfferedBPS = float64(all) * 8 / took
	}
	r.BurstOctets = burst(r, list)
	r.ConvergeS, r.ConvergeWindowS = converge(r, list)
}

// burst is how many octets passed at once, over the rate; -1 where that is not known, since a
// packet on the way there was unsteady. It is looked for until some time after the first loss: the
// longer it goes on, the more an error of the rate counts.
func burst(r *record.RateLimit, list []b.Fate) (most float64) {
	start, passed := list[0].Sent, 0
	for _, f := range list {
		at := f.Sent.Sub(start).Seconds()
		if r.LossRatio > 0 && at > 4*r.FirstLossS+0.1 {
			break
		}
		if unsteady(&f) && at <= 1.5*r.FirstLossS {
			return -1
		}
		if !f.Arrived.IsZero() {
			passed += f.Octets
			most = max(most, float64(passed)-r.MeasuredBPS/8*at)
		}
	}
	return most
}

// What passes has converged when a window of that length, or of that many packets where
// that is longer, holds the rate.
const (
	convergeWindow  = 20 * time.Millisecond
	convergePackets = 200
	// converged and convergedPackets are by how much it may be off: a share, or packets where
	// these are more.
	converged        = 0.005
	convergedPackets = 1.2
)

// converge is when the first window begins in which the rate passes, and how long windows
// are. A window that was disturbed is none.
func converge(r *record.RateLimit, list []b.Fate) (after, window float64) {
	bps, octets := r.MeasuredBPS, float64(list[0].Octets)
	if bps == 0 || octets == 0 {
		return -1, 0
	}
	window = max(convergeWindow.Seconds(), convergePackets*octets*8/bps)
	want, start := bps/8*window, list[0].Sent
	passed, disturbed, to := 0.0, 0, 0
	for from := range list {
		for to < len(list) && list[to].Sent.Sub(list[from].Sent).Seconds() < window {
			passed, disturbed = passed+octetsOf(&list[to]), disturbed+flag(unsteady(&list[to]))
			to++
		}
		if to == len(list) {
			break
		}
		if disturbed == 0 && math.Abs(passed-want) <= max(converged*want, convergedPackets*octets) {
			return list[from].Sent.Sub(start).Seconds(), window
		}
		passed, disturbed = passed-octetsOf(&list[from]), disturbed-flag(unsteady(&list[from]))
	}
	return -1, window
}

// octetsOf are those of a packet that arrived.
func octetsOf(f *b.Fate) float64 {
	if f.Arrived.IsZero() {
		return 0
	}
	return float64(f.Octets)
}

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}
