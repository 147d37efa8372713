package sequential

import (
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// known says of each figure how well it is known: by the median of its valid repeats and its confidence sequence.
func known(r *record.Result) (list []record.KnownFigure) {
	for _, d := range measured(r) {
		for _, name := range r.Until.Figures {
			f, _ := figure.Of(name)
			for _, p := range places(f, d) {
				list = append(list, one(r, d, f, p))
			}
		}
	}
	return list
}

// place is what was measured at one place.
type place struct {
	at      figure.Place
	samples []figure.Sample // also those that are not valid
}

// places groups the samples of a figure that are headlines: latencies of the latency trials, and all others of loads.
func places(f figure.Figure, d *record.DUT) (list []place) {
	kind := record.KindLoad
	if f.Unit == figure.Nanos && f.Unloaded {
		kind = record.KindLatency
	}
	for _, s := range f.Samples(d) {
		if s.Kind != kind {
			continue
		}
		at := slices.IndexFunc(list, func(p place) bool { return p.at == s.Place })
		if at < 0 {
			at, list = len(list), append(list, place{at: s.Place})
		}
		list[at].samples = append(list[at].samples, s)
	}
	return list
}

func one(r *record.Result, d *record.DUT, f figure.Figure, p place) record.KnownFigure {
	k := record.KnownFigure{DUT: d.Label(), Where: p.at.Words(sizes(d) > 1), Figure: f.Name, Unit: string(f.Unit), Sign: signOf(f, p.samples), Effect: 1}
	var values []float64
	for _, s := range p.samples {
		if s.Valid && s.Value > 0 {
			values = append(values, s.Value)
		}
	}
	scatter := scatterOf(r, f, p.samples)
	k.BetweenRuns, k.Assumed = math.Expm1(math.Sqrt2*stats.Reach(scatter.SD, scatter.DF)), scatter.Assumed
	if k.Repeats = len(values); k.Repeats == 0 {
		k.Why = "no valid repeat has it"
		return k
	}
	k.Value = stats.Median(values)
	lo, hi, effect, ok := stats.MedianSequence(values)
	if k.Effect = effect; !ok {
		return k
	}
	lo -= resolution(f, d, p) * lo
	within := max(hi/k.Value-1, 1-lo/k.Value)
	k.Low, k.High, k.Within, k.Known = &lo, &hi, &within, within <= r.Until.Precision
	if k.Known {
		return k
	}
	floor := resolution(f, d, p)
	if floor >= r.Until.Precision {
		k.Why = fmt.Sprintf("it is known to %.2g %% at best, the resolution of what measures it", 100*floor)
	} else if n := stats.RepeatsToKnow(len(values), within-floor, r.Until.Precision-floor, MostRepeats); n > 0 {
		k.Needs = n - len(values)
	}
	return k
}

// scatterOf is what a figure differs by from run to run: a rate that was carried whole by nothing, as it is what was
// offered.
func scatterOf(r *record.Result, f figure.Figure, samples []figure.Sample) between.Scatter {
	if f.Offered && !slices.ContainsFunc(samples, func(s figure.Sample) bool { return s.Valid && !s.Carried() }) {
		return between.Scatter{}
	}
	return between.Of(r.Calibration, f)
}

func sizes(d *record.DUT) int {
	var all []string
	for i := range d.Trials {
		all = append(all, d.Trials[i].SizeName())
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}

// resolution is by which part of itself a figure may be too high.
func resolution(f figure.Figure, d *record.DUT, p place) (part float64) {
	if !(f.Unit == figure.Nanos && f.Unloaded) {
		return 0
	}
	part = record.LatencyBucket
	for _, s := range p.samples {
		if !s.Valid {
			continue
		}
		l := d.Trials[s.Index].Latency
		step := l.P50Step
		if f.Name == "latency.p99" {
			step = l.P99Step
		}
		part = max(part, float64(step)/math.Max(s.Value, 1))
	}
	return part
}

// signOf is what kind of a bound at least half of the valid samples are.
func signOf(f figure.Figure, samples []figure.Sample) string {
	valid, atMost, atLeast := 0, 0, 0
	for _, s := range samples {
		if !s.Valid {
			continue
		}
		valid++
		if s.AtMost != "" {
			atMost++
		}
		if s.AtLeast != "" || f.Offered && !s.Own() {
			atLeast++
		}
	}
	half := func(n int) bool { return n > 0 && 2*n >= valid }
	return record.BoundSign(half(atMost), half(atLeast))
}
