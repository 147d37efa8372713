package exactness

import (
	"slices"
	"time"

	b "github.com/upflab/upflab/internal/behaviour"
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
// both. Where nothing was dropped it is that of everything.
func Steady(list []b.Fate) (bps float64, length time.Duration) {
	var octets int
	longest := max(pause, pauses*interval(list))
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].Sent.Sub(list[to-1].Sent) <= longest {
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
	r.MeasuredBPS, length = Steady(list)
	r.Error, r.SteadyS = r.MeasuredBPS/r.MBRBPS-1, length.Seconds()
	start, passed, run, runs, lost, all := list[0].Sent, 0, 0, 0, 0, 0
	for _, f := range list {
		all += f.Octets
		if f.Arrived.IsZero() {
			if lost == 0 {
				r.FirstLossS = f.Sent.Sub(start).Seconds()
			}
			if lost, run = lost+1, run+1; run == 1 {
				runs++
			}
			r.LossRunMax = max(r.LossRunMax, run)
			continue
		}
		passed, run = passed+f.Octets, 0
		r.BurstOctets = max(r.BurstOctets, float64(passed)-r.MeasuredBPS/8*f.Sent.Sub(start).Seconds())
	}
	r.LossRatio = float64(lost) / float64(len(list))
	if runs > 0 {
		r.LossRun = float64(lost) / float64(runs)
	}
	if took := list[len(list)-1].Sent.Sub(start).Seconds(); took > 0 {
		r.OfferedBPS = float64(all) * 8 / took
	}
}
