package compare

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// test is what verdicts on a figure are made from.
type test struct {
	diff  stats.Difference // of the figure's basis, on the metric's scale
	raw   stats.Difference // as measured; zero without an interval
	ok    bool             // it has an interval
	why   string           // it has none although there are enough repeats
	equal bool             // all values of both sides are one
}

// series are the values of one side on the metric's scale, by repeat.
type series []value

type value struct {
	Repeat int
	V      float64
}

func (s series) values() []float64 {
	list := make([]float64, len(s))
	for i, v := range s {
		list[i] = v.V
	}
	return list
}

// newFigure compares one metric of one trial; nil when neither side has it.
func newFigure(in inputs, o Options, basis Basis, p dutPair, g groupPair, m Metric) *Figure {
	rawA, rawB := raw(m, g.A), raw(m, g.B)
	if !m.applies(g.A.Key) || len(rawA)+len(rawB) == 0 {
		return nil
	}
	f := &Figure{
		Metric: m, Kind: g.A.Kind, Direction: g.A.Direction, Load: g.A.Name,
		A: sample(m, g.A, p.A.Reference), B: sample(m, g.B, p.B.Reference), Basis: basis, Builds: p.builds(),
		ByWire: unknown(), Paired: unknown(),
	}
	f.test.equal = allEqual(rawA, rawB)
	tests := map[Basis]test{}
	doubt := func(on Basis) stats.Doubt {
		n := min(len(rawA), len(rawB))
		return stats.Doubt{Noise: o.noise(m, n), Resolution: resolution(in, m, g, on)}
	}
	f.Raw, tests[BasisRaw] = unpaired(m, rawA, rawB, doubt(BasisRaw))
	if in.wireA != nil && in.wireB != nil && p.gated() {
		f.ByWire, tests[BasisWire] = unpaired(m, byWire(m, g.A, in.wireA), byWire(m, g.B, in.wireB), doubt(BasisWire))
	}
	if in.oneRun {
		apart := g.apart()
		f.Paired, tests[BasisPaired] = paired(in.a.Result, p, m, rawA.without(apart), rawB.without(apart), doubt(BasisPaired))
	}
	if f.test.equal || !f.Change().Known { // wire adds nothing, has no such figure, or is the DUT
		f.Basis = BasisRaw
	}
	f.test.diff, f.test.ok, f.test.why, f.test.raw = tests[f.Basis].diff, tests[f.Basis].ok, tests[f.Basis].why, tests[BasisRaw].diff
	return f
}

// raw are the values of the valid trials that have one.
func raw(m Metric, g group) series {
	return seriesOf(g, func(t *record.Trial) float64 { return m.scale(m.of(t)) })
}

// byWire are the same, less what wire did in the same repeat.
func byWire(m Metric, g group, wire *record.DUT) series {
	return seriesOf(g, func(t *record.Trial) float64 {
		w := trialOf(wire, t)
		if w == nil {
			return math.NaN()
		}
		return m.scale(m.of(t)) - m.scale(m.of(w))
	})
}

// seriesOf has a value for each repeat: of trials that were made several times in one
// visit, the median. They know nothing of what differs from visit to visit.
func seriesOf(g group, of func(*record.Trial) float64) (s series) {
	within := map[int][]float64{}
	var repeats []int
	for _, t := range g.Valid {
		v := of(t)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if within[t.Repeat] == nil {
			repeats = append(repeats, t.Repeat)
		}
		within[t.Repeat] = append(within[t.Repeat], v)
	}
	for _, repeat := range repeats {
		s = append(s, value{repeat, stats.Median(within[repeat])})
	}
	return s
}

func unpaired(m Metric, a, b series, d stats.Doubt) (Change, test) {
	if len(a) == 0 || len(b) == 0 {
		return unknown(), test{}
	}
	c := unknown()
	c.Known, c.N = true, min(len(a), len(b))
	c.Value = m.unscale(stats.Median(b.values()) - stats.Median(a.values()))
	diff, ok := stats.Unpaired(a.values(), b.values(), d)
	return c.with(m, diff, ok), test{diff: diff, ok: ok}
}

// paired compares the repeats that both sides have.
func paired(r *record.Result, p dutPair, m Metric, a, b series, d stats.Doubt) (Change, test) {
	var differences []float64
	var repeats []int
	for _, v := range a {
		at := slices.IndexFunc(b, func(w value) bool { return w.Repeat == v.Repeat })
		if at >= 0 {
			differences, repeats = append(differences, b[at].V-v.V), append(repeats, v.Repeat)
		}
	}
	if len(differences) == 0 {
		return unknown(), test{}
	}
	c := unknown()
	c.Known, c.N, c.Value = true, len(differences), m.unscale(stats.Median(differences))
	if why := oneSided(r, p, repeats); why != "" {
		return c, test{why: why}
	}
	diff, ok := stats.Paired(differences, d)
	return c.with(m, diff, ok), test{diff: diff, ok: ok}
}

func unknown() Change { return Change{P: 1, PFamily: 1} }

func (c Change) with(m Metric, d stats.Difference, ok bool) Change {
	if ok {
		c.Interval = &Interval{Lo: m.unscale(d.Lo), Hi: m.unscale(d.Hi)}
		c.P = d.P()
	}
	return c
}

// sample sums one side up, in the metric's unit.
func sample(m Metric, g group, reference bool) Sample {
	s := Sample{Limits: []Limit{}}
	bounded, byHost, trials := 0, 0, 0
	for _, t := range g.Valid {
		if math.IsNaN(m.of(t)) {
			continue
		}
		trials++
		s.addLimit(t.LimitedBy)
		if !reference && m.ofBench() && !ofDUT(m, t.LimitedBy) {
			bounded++
			if t.LimitedBy == record.LimitHost {
				byHost++
			}
		}
	}
	values := seriesOf(g, m.of).values()
	if s.N = len(values); s.N > 0 {
		s.Median = stats.Median(values)
		s.Bounded = 2*bounded >= trials
		s.ByHost = s.Bounded && 2*(bounded-byHost) < trials
	}
	return s
}

// bounded reports whether a side's figure only bounds the DUT's. Builds of one UPF that were
// measured in turn shared their CPU with the same others, at random: what these took is
// in the scatter of the repeats, and a difference beyond it is that of the builds.
func (f *Figure) bounded(s Sample) bool {
	return s.Bounded && !(s.ByHost && f.Builds && f.Basis == BasisPaired)
}

// AtMost reports whether B is worse by no more than the change: something else limited it.
func (f *Figure) AtMost() bool { return f.bounded(f.B) }

// ofDUT reports whether a figure under this limit is the DUT's own.
func ofDUT(m Metric, limit string) bool {
	return limit == record.LimitDUT || limit == record.LimitNone && m != RxPPS && !m.OfSearch()
}

func (s *Sample) addLimit(name string) {
	for i := range s.Limits {
		if s.Limits[i].Name == name {
			s.Limits[i].Repeats++
			return
		}
	}
	s.Limits = append(s.Limits, Limit{name, 1})
}

// allEqual reports whether there are enough values to tell, and all are one.
func allEqual(a, b series) bool {
	if len(a) < stats.MinRepeats || len(b) < stats.MinRepeats {
		return false
	}
	differs := func(v value) bool { return v.V != a[0].V }
	return !slices.ContainsFunc(a, differs) && !slices.ContainsFunc(b, differs)
}
