package disturbance

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// pauses are for how long a CPU stands still, ns, and how long it runs between, in the mean.
type pauses struct {
	length  func(*rand.Rand) float64
	between float64
}

// pausedQueue simulates a queue, mu packets a second, whose gaps and service times are spread as
// said about 1, and whose CPU stands still now and then, packet by packet. It gives how long packets were
// in it, ns: all of them, those that the drain rule keeps, and what the same packets would
// have taken without the pauses. It has nothing in common with the package but what it
// tells the history.
func pausedQueue(seed uint64, mu, load, seconds float64, spread func(*rand.Rand) float64, still pauses) (all, kept,
	without []float64, x record.Excluded) {
	const window = 1 << 20
	between := still.between
	r := rand.New(rand.NewPCG(seed, uint64(1000*load)))
	h := newHistory(nil, []int{1})
	type packet struct{ at, took float64 }
	var list []packet
	const start = 1 << 30
	end := start + seconds*1e9
	free, plain := float64(start), float64(start) // when the server has nothing to do
	rested := float64(start)                      // when it had nothing to do last
	next := start + between*r.ExpFloat64()        // the next pause begins
	pause := still.length(r)
	open := 0                                   // pauses since the server had nothing to do
	serve := func(from, work float64) float64 { // with the pauses within
		to := from + work
		for next < to {
			h.add(1, interval{from: uint64(next), to: uint64(next + pause), rested: uint64(min(rested, next)), cause: Paused})
			open++
			to += pause
			next = next + pause + between*r.ExpFloat64()
			pause = still.length(r)
		}
		return to
	}
	for at := float64(start); at < end; {
		work := 1e9 / mu * spread(r)
		if at > free { // idle from free to at
			if open > 0 {
				h.idle(1, uint64(free)+1)
				open = 0
			}
			rested = at
			for next+pause < at { // it slept through these
				h.add(1, interval{from: uint64(next), to: uint64(next + pause), rested: uint64(next), cause: Paused})
				h.idle(1, uint64(next+pause)+1)
				next += pause + between*r.ExpFloat64()
				pause = still.length(r)
			}
			free = at
			if next < at { // it stands still when the packet comes
				h.add(1, interval{from: uint64(next), to: uint64(next + pause), rested: uint64(next), cause: Paused})
				open++
				free = next + pause
				next = free + between*r.ExpFloat64()
				pause = still.length(r)
			}
		}
		free = serve(free, work)
		plain = max(plain, at) + work
		list = append(list, packet{at, free - at})
		without = append(without, plain-at)
		at += 1e9 / mu / load * spread(r)
	}
	verdicts := map[uint64]bool{}
	var out uint64
	for _, p := range list {
		id := uint64(p.at) / window
		touched, known := verdicts[id]
		if !known {
			touched = h.touches(id*window, (id+1)*window, nil)
			verdicts[id] = touched
			if touched {
				out++
			}
		}
		all = append(all, p.took)
		if !touched {
			kept = append(kept, p.took)
		}
	}
	sum := h.summary()
	return all, kept, without, record.Excluded{Windows: out, Of: uint64(len(verdicts)), Disturbances: sum.Of,
		Cut: sum.Cut, BacklogS: sum.Backlog}
}

func p99(values []float64) float64 { return quantile(values, 0.99) }

func quantile(values []float64, q float64) float64 {
	slices.Sort(values)
	return values[int(float64(len(values))*q)]
}

// unmoved are the quantiles that are known although others are bounds.
func unmoved(kept []float64, x record.Excluded) []string {
	counts := map[uint64]uint64{}
	for _, ns := range kept {
		counts[uint64(math.Exp(math.Ceil(256*math.Log(ns+1))/256))]++
	}
	l := record.Latency{Count: uint64(len(kept))}
	for _, upTo := range slices.Sorted(maps.Keys(counts)) {
		l.Buckets = append(l.Buckets, record.Bucket{UpTo: upTo, Count: counts[upTo]})
	}
	l.MarkBound(x.BacklogShare())
	return l.Unmoved
}

// Below 80 % load what the rule keeps is what packets take without pauses; above, the rule is
// cut off before backlogs end, what is kept takes longer, and that is known to be a bound.
func TestDrainRuleOfQueues(t *testing.T) {
	for mu, seconds := range map[float64]float64{100e3: 6, 400e3: 2} {
		for _, load := range []float64{0.5, 0.7, 0.8, 0.85, 0.9, 0.95} {
			all, kept, without, x := pausedQueue(2, mu, load, seconds, (*rand.Rand).ExpFloat64,
				pauses{func(*rand.Rand) float64 { return 300e3 }, 25e6})
			ratio, share := p99(kept)/p99(without), float64(x.Cut)/float64(x.Disturbances)
			t.Logf("%.0f packets/s, load %.2f: p99 of what is kept %.0f us, without pauses %.0f (%+.1f %%), of "+
				"all %.0f; backlogs cut %.1f %%, bound %v",
				mu, load, p99(kept)/1e3, p99(without)/1e3, 100*(ratio-1), p99(all)/1e3, 100*share, x.Bounds())
			switch {
			case load <= 0.7 && x.Bounds(), load >= 0.9 && !x.Bounds():
				t.Errorf("load %.2f: %d of %d backlogs cut", load, x.Cut, x.Disturbances)
			case x.Bounds() && ratio < 0.97:
				t.Errorf("load %.2f: the bound is %.2f of the truth", load, ratio)
			case !x.Bounds() && math.Abs(ratio-1) > 0.05:
				t.Errorf("load %.2f: %.2f of the truth, and no bound", load, ratio)
			case p99(all) < p99(kept)*0.99:
				t.Errorf("load %.2f: all packets take less than those kept", load)
			}
			known := unmoved(kept, x)
			t.Logf("a backlog may be in %.3f %% of what counts; %q are known", 100*x.BacklogShare(), known)
			for name, q := range map[string]float64{"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999} {
				if ratio := quantile(kept, q) / quantile(without, q); slices.Contains(known, name) && math.Abs(ratio-1) > 0.03 {
					t.Errorf("load %.2f: %s is %.3f times the truth, and no bound", load, name, ratio)
				}
			}
			if load == 0.8 && x.Bounds() && !slices.Contains(known, "p50") {
				t.Errorf("load %.2f: a backlog in %.3f %% of the time makes p50 a bound", load, 100*x.BacklogShare())
			}
		}
	}
}

// TestFewLongPausesAmongMany: of 100 pauses a second of 10 us, after which the CPU is idle
// at once, 1 in 600 is 5 ms long, after which a queue at 95 % load has no end within ten times
// that. Backlogs of under 2 % of the disturbances are cut then, and yet p99.9 of what is
// kept is many times as long: a bound. Without long ones it is right, and none.
func TestFewLongPausesAmongMany(t *testing.T) {
	constant := func(*rand.Rand) float64 { return 1 }
	for _, c := range []struct {
		every int // one of these is long
		bound bool
	}{{1_000_000, false}, {600, true}} {
		n := 0
		still := pauses{func(*rand.Rand) float64 {
			if n++; n%c.every == 0 {
				return 5e6
			}
			return 10e3
		}, 10e6}
		_, kept, without, x := pausedQueue(3, 100e3, 0.95, 30, constant, still)
		ratio := quantile(kept, 0.999) / quantile(without, 0.999)
		t.Logf("one long of %d: p99.9 of what is kept %.2f times that without pauses; backlogs of %d of %d cut, for %.3f s; bound %v",
			c.every, ratio, x.Cut, x.Disturbances, x.BacklogS, x.Bounds())
		if x.Bounds() != c.bound || c.bound != (ratio > 1.02) || float64(x.Cut) > 0.02*float64(x.Disturbances) {
			t.Errorf("one long of %d: %.2f times, %+v", c.every, ratio, x)
		}
	}
}
