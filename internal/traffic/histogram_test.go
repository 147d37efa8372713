package traffic

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// random is spread evenly over the powers of two that a histogram covers.
func random(r *rand.Rand) uint64 { return r.Uint64() >> (24 + r.IntN(40)) }

// exact is the smallest value that at least a share q of the values does not exceed.
func exact(sorted []uint64, q float64) uint64 {
	for i, v := range sorted {
		if float64(i+1)/float64(len(sorted)) >= q-1e-12 {
			return v
		}
	}
	return sorted[len(sorted)-1]
}

func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 10, 11, 60, 99, 1000, 1010, 20_000} {
		var h Histogram
		var values []uint64
		for range n {
			v := random(r)
			values = append(values, v)
			h.Add(v)
		}
		slices.Sort(values)
		for _, q := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.93, 0.99, 0.999, 1} {
			got, want := h.Quantile(q), exact(values, q)
			if got < want || float64(got-want) > float64(want)/128 {
				t.Errorf("%d values, quantile %g: %d, want %d and at most 1/128 more", n, q, got, want)
			}
		}
	}
}

func TestQuantileOfNothing(t *testing.T) {
	var h Histogram
	if got := h.Quantile(0.5); got != 0 {
		t.Errorf("median of nothing is %d", got)
	}
	if h.Latency() != nil {
		t.Error("an empty histogram has a latency")
	}
}

func TestLatency(t *testing.T) {
	var h Histogram
	for _, v := range []uint64{700, 100, 300, 1 << 45} {
		h.Add(v)
	}
	l := h.Latency()
	if l.Min != 100 || l.Max != 1<<45 || l.Count != 4 || l.Mean != float64(1<<45+1100)/4 {
		t.Errorf("min %d, max %d, count %d, mean %g", l.Min, l.Max, l.Count, l.Mean)
	}
	if l.P50 < 300 || l.P50 > 305 {
		t.Errorf("median %d, want 300 and at most 1/128 more", l.P50)
	}
	var sum uint64
	for i, b := range l.Buckets {
		if sum += b.Count; i > 0 && b.UpTo <= l.Buckets[i-1].UpTo {
			t.Errorf("bucket %d ends at %d, the one before at %d", i, b.UpTo, l.Buckets[i-1].UpTo)
		}
	}
	if sum != l.Count {
		t.Errorf("the buckets hold %d values of %d", sum, l.Count)
	}
}

// Against the least delay: everything is less by it (RFC 5481 clause 4.2).
func TestAbove(t *testing.T) {
	var h Histogram
	for _, v := range []uint64{40, 41, 45, 60} {
		h.Add(v)
	}
	l := h.Above()
	if l.Min != 0 || l.Max != 20 || l.P50 != 1 || l.P90 != 20 || l.Mean != 6.5 || l.Count != 4 {
		t.Errorf("%+v", l)
	}
	if (&Histogram{}).Above() != nil {
		t.Error("nothing varies")
	}
}

func TestPlus(t *testing.T) {
	var a, b, both Histogram
	for i, v := range []uint64{700, 90, 5, 1 << 30} {
		both.Add(v)
		if i%2 == 0 {
			a.Add(v)
		} else {
			b.Add(v)
		}
	}
	for _, got := range []*Histogram{a.Plus(&b), b.Plus(&a), (&Histogram{}).Plus(&both), both.Plus(&Histogram{})} {
		if *got != both {
			t.Errorf("%d values from %d to %d, sum %d", got.Count, got.Min, got.Max, got.Sum)
		}
	}
}

// TestSteps: by how much a value of a coarser clock may be too high.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		grid    Grid
		v, want uint64
	}{
		{Fine, 30_000, 0}, {Microseconds, 3_000, 1_000}, {Microseconds, 5_000_000, 5_000},
		{Decimals, 10_000, 10_000}, {Decimals, 100_000, 10_000}, {Decimals, 200_000, 100_000}, {Decimals, 3_000_000, 1_000_000},
	} {
		if got := c.grid.Step(c.v); got != c.want {
			t.Errorf("grid %d, %d ns: %d, want %d", c.grid, c.v, got, c.want)
		}
	}
	var whole, part Histogram
	part.Grid = Decimals
	part.Add(30_000)
	whole.Merge(&part)
	if l := whole.Latency(); l.P50Step != 10_000 || l.P99Step != 10_000 {
		t.Errorf("merged: %+v", l)
	}
}

// TestVariationIsResolvedOrSaysSo simulates delays: a fixed part, and an exponential one that
// is their variation. Quantiles of the variation are at most a tenth too high where they do
// not say that they are bounds, and never too low; of long delays that vary by little all are
// bounds. Mean and maximum are exact.
func TestVariationIsResolvedOrSaysSo(t *testing.T) {
	for _, c := range []struct {
		fixed, varies float64 // ns
		unresolved    []string
	}{
		{20e3, 20e3, nil},
		{1e6, 20e3, []string{"p50", "p95"}}, // known to within 8 us, a part in 128 of the delay
		{1e6, 2e3, []string{"p50", "p90", "p95", "p99", "p999", "p9999"}},
		{20e6, 1e6, []string{"p50"}},
	} {
		r := rand.New(rand.NewPCG(8, 9))
		var h Histogram
		var delays []uint64
		var sum float64
		for range 300_000 {
			v := uint64(c.fixed + c.varies*r.ExpFloat64())
			delays = append(delays, v)
			sum += float64(v)
			h.Add(v)
		}
		slices.Sort(delays)
		least := delays[0]
		l := h.Above()
		if !slices.Equal(l.Unresolved, c.unresolved) {
			t.Errorf("%v and %v: %v are not resolved, want %v", c.fixed, c.varies, l.Unresolved, c.unresolved)
		}
		for _, x := range []struct {
			name string
			q    float64
			got  uint64
		}{{"p50", 0.5, l.P50}, {"p90", 0.9, l.P90}, {"p95", 0.95, l.P95}, {"p99", 0.99, l.P99},
			{"p999", 0.999, l.P999}, {"p9999", 0.9999, l.P9999}} {
			truth := exact(delays, x.q) - least
			off := float64(x.got)/float64(truth) - 1
			bound := slices.Contains(l.Unresolved, x.name)
			t.Logf("%v and %v: %s of %d ns, %+.1f %% off, bound %v", c.fixed, c.varies, x.name, truth, 100*off, bound)
			if off < 0 || !bound && off > 0.112 { // a tenth of what is shown
				t.Errorf("%v and %v: %s is %d ns of %d", c.fixed, c.varies, x.name, x.got, truth)
			}
		}
		if want := sum/float64(len(delays)) - float64(least); l.Max != delays[len(delays)-1]-least || l.Mean < want-1 || l.Mean > want+1 {
			t.Errorf("%v and %v: mean %v, want %v; max %d", c.fixed, c.varies, l.Mean, want, l.Max)
		}
	}
}
