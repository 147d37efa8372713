package threshold

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// pair is a value of one repeat and what it is held against.
type pair struct{ value, limit float64 }

// judge says whether the repeats of one place keep the threshold: the interval of 95 % of their mean, with
// what the machine differs by from run to run, is on one side of the limit.
func (t Threshold) judge(p place, other *record.DUT, r *record.Result) record.Threshold {
	out := t.record()
	pairs, why := t.pairs(p, other)
	if len(pairs) == 0 {
		out.Outcome, out.Why = record.OutcomeCannotTell, why
		return out
	}
	t.sum(&out, pairs)
	out.Outcome, out.Why, out.Needs = t.outcome(pairs, out.Kept, t.scatter(p.samples, r.Calibration), r)
	if why := t.doubtValue(out.Outcome, p.samples); why != "" {
		out.Outcome, out.Why = record.OutcomeCannotTell, why
		return out
	}
	switch by := bound(p.samples, t.limited); {
	case out.Outcome == record.OutcomeFail && by != "":
		out.Outcome, out.Why = record.OutcomeCannotTell, by
	case other != nil && out.Outcome != record.OutcomeCannotTell:
		t.doubtLimit(&out, p, other)
	}
	return out
}

// doubtValue is why a value that is a bound does not decide it so; "": it does.
func (t Threshold) doubtValue(o record.Outcome, samples []figure.Sample) string {
	switch {
	case o == record.OutcomeCannotTell:
		return ""
	case t.above(o):
		return mostly(samples, atMost)
	}
	return mostly(samples, atLeast)
}

// above reports whether an outcome says that the value is above the limit.
func (t Threshold) above(o record.Outcome) bool { return t.Lower() == (o == record.OutcomePass) }

func atMost(s figure.Sample) string  { return s.AtMost }
func atLeast(s figure.Sample) string { return s.AtLeast }

// mostly is why at least half of the valid samples are so; "": fewer are.
func mostly(samples []figure.Sample, so func(figure.Sample) string) (why string) {
	valid, n := 0, 0
	for _, s := range samples {
		if !s.Valid {
			continue
		}
		valid++
		if w := so(s); w != "" {
			why = w
			n++
		}
	}
	if 2*n < valid {
		return ""
	}
	return why
}

// doubtLimit: a limit that is another DUT's figure may be a bound, and what the bench limited
// it to it may exceed.
func (t Threshold) doubtLimit(out *record.Threshold, p place, other *record.DUT) {
	var theirs []figure.Sample
	for _, s := range p.samples {
		if o, found := t.match(s, other); found {
			theirs = append(theirs, o)
		}
	}
	bounds := atMost
	if t.above(out.Outcome) {
		bounds = atLeast
	}
	if why := mostly(theirs, bounds); why != "" {
		out.Outcome, out.Why = record.OutcomeCannotTell, "of "+other.Label()+": "+why
		return
	}
	if out.Outcome == record.OutcomePass && !other.Reference &&
		bound(theirs, func(s figure.Sample) bool { return t.Figure.Bench && byBench(s) }) != "" {
		out.Outcome, out.Why = record.OutcomeCannotTell, other.Label()+" was limited by the bench: it may do better"
	}
}

// pairs are the values of the valid repeats; where one repeat has several, their median.
func (t Threshold) pairs(p place, other *record.DUT) (list []pair, why string) {
	values, limits := map[int][]float64{}, map[int][]float64{}
	var repeats []int
	for _, s := range p.samples {
		limit, known := t.limitOf(s, other)
		switch {
		case !s.Valid:
			why = "not valid: " + s.Why
		case !known && other != nil && other.Reference && s.Kind == record.KindSearch:
			why = fmt.Sprintf("%s is not searched beside UPFs, it is only asked whether it carries their rates: "+
				"set a limit in packets/s", t.Limit.Of)
		case !known:
			why = fmt.Sprintf("%s has no valid figure to compare with", t.Limit.Of)
		default:
			if values[s.Repeat] == nil {
				repeats = append(repeats, s.Repeat)
			}
			values[s.Repeat], limits[s.Repeat] = append(values[s.Repeat], s.Value), append(limits[s.Repeat], limit)
		}
	}
	for _, n := range repeats {
		list = append(list, pair{stats.Median(values[n]), stats.Median(limits[n])})
	}
	return list, why
}

// limitOf is what a sample is held against.
func (t Threshold) limitOf(s figure.Sample, other *record.DUT) (float64, bool) {
	if t.Limit.Of == "" {
		return t.Limit.Plus, true
	}
	o, found := t.match(s, other)
	return t.Limit.Factor*o.Value + t.Limit.Plus, found
}

// match is the other DUT's valid sample of the same repeat and place, or else at the
// same rate.
func (t Threshold) match(s figure.Sample, other *record.DUT) (figure.Sample, bool) {
	if other == nil {
		return figure.Sample{}, false
	}
	all := t.Figure.Samples(other)
	for _, same := range []func(figure.Sample) bool{
		func(o figure.Sample) bool { return o.Place == s.Place },
		func(o figure.Sample) bool { return o.AtRate == s.AtRate && o.AtRate.Load.PPS > 0 },
	} {
		at := slices.IndexFunc(all, func(o figure.Sample) bool { return o.Repeat == s.Repeat && o.Valid && same(o) })
		if at >= 0 {
			return all[at], true
		}
	}
	return figure.Sample{}, false
}

func (t Threshold) sum(out *record.Threshold, pairs []pair) {
	var values, limits []float64
	for _, p := range pairs {
		values, limits = append(values, p.value), append(limits, p.limit)
		if t.Holds(p.value, p.limit) {
			out.Kept++
		}
	}
	median, limit := stats.Median(values), stats.Median(limits)
	lo, hi := stats.MinMax(values)
	out.Value, out.Limit, out.Lowest, out.Highest, out.Repeats = &median, &limit, &lo, &hi, len(pairs)
}

// byBench reports whether something else than the DUT limited a value.
func byBench(s figure.Sample) bool { return !s.Own() && !s.Carried() }

// limited reports whether a DUT may do better than the value.
func (t Threshold) limited(s figure.Sample) bool {
	return t.Figure.Bench && (byBench(s) || s.Carried() && t.Lower())
}

// bound names what limited at least half of the valid samples; "" when that was the DUT.
func bound(samples []figure.Sample, limited func(figure.Sample) bool) string {
	valid, bounded, by := 0, 0, ""
	for _, s := range samples {
		if !s.Valid {
			continue
		}
		valid++
		if limited(s) {
			bounded++
			by = "limited by " + string(s.LimitedBy) + ": the UPF may do better"
			if s.Carried() {
				by = "all that was offered was carried: offer more to know"
			}
		}
	}
	if 2*bounded < valid || bounded == 0 {
		return ""
	}
	return by
}
