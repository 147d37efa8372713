package record

import "slices"

// What of the time that counts backlogs may be in, of disturbances that were not seen to end,
// from where on latency is bounded and not measured. So many packets move p99 by a hundredth of
// the share that it leaves, and p99.9 by a tenth.
const backlogMax = 1e-4

// WindowNS is the length of a window, ns.
const WindowNS = 1 << 20

// BacklogShare is the share of the time that counts in which packets may be that waited for a
// disturbance, 0..1: all of it where everything counts although nearly all was disturbed.
func (x *Excluded) BacklogShare() float64 {
	switch {
	case x == nil || x.Windows == 0:
		return 0
	case x.Void:
		return 1
	}
	kept := (WindowNS / 1e9) * float64(x.Of-min(x.Of, x.Windows))
	return min(1, x.BacklogS/max(kept, 1e-9))
}

// Bounds reports whether the latency of what was kept is no more than an upper bound of
// that without disturbances.
func (x *Excluded) Bounds() bool { return x.BacklogShare() > backlogMax }

// unmovedBy is up to what difference a quantile counts as the same, relative: twice the width of
// a bucket.
const unmovedBy = 0.01

// MarkBound marks the latency as an upper bound: a share of the packets, 0..1, may have waited
// for a disturbance. Were all of them in truth the fastest, the quantile q would be what is now
// at q less that share. Where that is the same, the quantile is known.
func (l *Latency) MarkBound(share float64) {
	l.UpperBound, l.Unmoved = true, nil
	for _, x := range l.quantiles() {
		if low := l.at(x.q - share); low > 0 && float64(l.at(x.q)-low) <= unmovedBy*float64(low) {
			l.Unmoved = append(l.Unmoved, x.name)
		}
	}
}

// MarkBounds marks the latencies of a trial, and of each of its directions, as upper bounds where
// packets that waited for a disturbance may be in them. What is marked already stays as it is.
func (t *Trial) MarkBounds() {
	if !t.Excluded.Bounds() {
		return
	}
	list := []*Latency{t.Latency, t.Actual, t.PDV, t.IPDV, t.AtDUT}
	for i := range t.Flows {
		f := &t.Flows[i]
		list = append(list, f.Latency, f.PDV, f.IPDV, f.AtDUT)
	}
	for i := range t.Classes {
		list = append(list, t.Classes[i].Latency, t.Classes[i].AtDUT)
	}
	for _, l := range list {
		if l != nil && !l.UpperBound {
			l.MarkBound(t.Excluded.BacklogShare())
		}
	}
}

// MarkBounds marks what is a bound, or not known, in results of before that was written.
func (r *Result) MarkBounds() {
	r.markElsewhere()
	for i := range r.DUTs {
		d := &r.DUTs[i]
		for j := range d.Trials {
			d.Trials[j].MarkBounds()
		}
		d.MarkSafe(d.SafeLoads)
	}
}

// AtMost reports whether a value of the distribution is an upper bound of what it would be
// without disturbances.
func (l *Latency) AtMost(ns float64) bool {
	if !l.UpperBound {
		return false
	}
	for _, x := range l.quantiles() {
		if float64(x.ns) == ns && slices.Contains(l.Unmoved, x.name) {
			return false
		}
	}
	return true
}

// LatencySign is what kind of a bound a figure of the latency of repeats is: "≤ " where it is an upper
// one, "≥ " a lower one, "~ " one from both sides, of parts of it; "": it is none.
func LatencySign(trials []*Trial, of func(*Latency) float64) string {
	return BoundSign(MostlyAtMost(trials, of), MostlyAtLeast(trials, of))
}

// Sign is what kind of a bound a value of the distribution is, as that of LatencySign.
func (l *Latency) Sign(ns float64) string { return BoundSign(l.AtMost(ns), l.AtLeast(ns)) }

// LatencyBucket is by which part of itself a quantile may be too high: histograms have 128 buckets for each power of two.
const LatencyBucket = 1.0 / 128

// BoundSign is the sign of a figure that is at most or at least what is written, or both.
func BoundSign(atMost, atLeast bool) string {
	switch {
	case atMost && atLeast:
		return "~ "
	case atMost:
		return "≤ "
	case atLeast:
		return "≥ "
	}
	return ""
}

// MostlyAtMost reports whether a figure of the latency is an upper bound in at least half of the
// trials.
func MostlyAtMost(trials []*Trial, of func(*Latency) float64) bool {
	return MostlyLatency(trials, func(l *Latency) bool { return l.AtMost(of(l)) })
}

// MostlyAtLeast reports whether it is a lower bound in at least half of the trials, whether it is an
// upper one, too, or not.
func MostlyAtLeast(trials []*Trial, of func(*Latency) float64) bool {
	return MostlyLatency(trials, func(l *Latency) bool { return l.AtLeast(of(l)) })
}

// MostlyLatency reports whether it holds for the latency of at least half of the trials.
func MostlyLatency(trials []*Trial, so func(*Latency) bool) bool {
	return ofHalf(trials, func(t *Trial) bool { return t.Latency != nil && so(t.Latency) })
}

// ofHalf reports whether it holds for at least half of a list, and for one.
func ofHalf[T any](list []T, so func(T) bool) bool {
	n := 0
	for _, x := range list {
		if so(x) {
			n++
		}
	}
	return n > 0 && 2*n >= len(list)
}

type quantile struct {
	name string
	q    float64
	ns   uint64
}

func (l *Latency) quantiles() []quantile {
	return []quantile{{"p50", 0.5, l.P50}, {"p90", 0.9, l.P90}, {"p95", 0.95, l.P95}, {"p99", 0.99, l.P99},
		{"p999", 0.999, l.P999}, {"p9999", 0.9999, l.P9999}}
}

// at is the upper end of the bucket in which the quantile q is, ns; 0 where there is none.
func (l *Latency) at(q float64) uint64 {
	rank, seen := q*float64(l.Count), uint64(0)
	if rank <= 0 {
		return 0
	}
	for _, b := range l.Buckets {
		if seen += b.Count; float64(seen) >= rank {
			return b.UpTo
		}
	}
	return 0
}
