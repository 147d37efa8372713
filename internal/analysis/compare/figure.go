package compare

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// test is what verdicts on a figure are made from.
type test struct {
	diff   stats.Difference // in each way in which wire can be taken into account, on the metric's scale
	ok     bool             // it has an interval
	why    string           // it has none although there are enough repeats
	hidden bool             // there is a difference on the basis that another way does not show
	equal  bool             // all values of both sides are one
	looked bool             // the run ends by what its repeats give: equal values decide by their blocks alone
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
	f.test.equal, f.test.looked = allEqual(rawA, rawB), basis == BasisPaired && in.oneRun && in.a.Result.Until != nil
	tests := map[Basis]test{}
	doubt := func(on Basis) stats.Doubt {
		d := o.doubt(in, m, min(len(rawA), len(rawB)), max(f.A.Median, f.B.Median))
		d.Resolution = resolution(in, m, g, on)
		return d
	}
	f.Raw, tests[BasisRaw] = unpaired(m, rawA, rawB, doubt(BasisRaw))
	if in.wireA != nil && in.wireB != nil && p.gated() {
		level := wireLevel(m, g.A, in.wireA)
		f.ByWire, tests[BasisWire] = unpaired(m, byWire(m, g.A, in.wireA, level), byWire(m, g.B, in.wireB, level), doubt(BasisWire))
	}
	if in.oneRun {
		apart := g.farCPUs()
		f.Paired, tests[BasisPaired] = paired(in.a.Result, p, m, rawA.without(apart), rawB.without(apart), doubt(BasisPaired))
	}
	if !f.test.looked && f.test.equal || !f.Change().Known || f.Basis == BasisWire && !m.Contains() && !explains(m, g, in) {
		f.Basis = BasisRaw // wire adds nothing, has no such figure, is the DUT, or does not explain it
	}
	f.test.diff, f.test.ok, f.test.why = tests[f.Basis].diff, tests[f.Basis].ok, tests[f.Basis].why
	if basis == BasisWire && f.test.ok && !f.test.equal {
		f.agree(tests, m, g, in, doubt(BasisWire))
	}
	return f
}

// agree asks that each way of taking wire into account shows a difference between two runs: as
// measured, since wire may have changed and the UPF not; with wire's figure taken out of it,
// since the UPF's contains it; and as a ratio to wire's, since all of the machine may be
// slower. Which of them is so in a run is not known from its figures.
func (f *Figure) agree(tests map[Basis]test, m Metric, g groupPair, in inputs, d stats.Doubt) {
	ways := []test{tests[BasisRaw], tests[BasisWire]}
	if m.Contains() && !m.Additive() {
		_, ratio := unpaired(m, divided(m, g.A, in.wireA), divided(m, g.B, in.wireB), d)
		ways = append(ways, ratio)
	}
	own := f.test.diff
	for _, w := range ways {
		if w.ok {
			f.test.diff = f.test.diff.And(w.diff)
		}
	}
	f.test.hidden = own.Clear() && !f.test.diff.Clear()
}

// raw are the values of the valid trials that have one.
func raw(m Metric, g group) series {
	return seriesOf(g, func(t *record.Trial) float64 { return m.scale(m.of(t)) })
}

// byWire are the same with wire's figure of the same repeat taken out. Where the UPF's contains
// it, it is subtracted, and a level of wire's put in its place, the same on both sides, so
// that changes are ratios of what is measured. Else the UPF's is divided by it.
func byWire(m Metric, g group, wire *record.DUT, level float64) series {
	if !m.Contains() {
		return divided(m, g, wire)
	}
	return withWire(g, wire, func(t, w *record.Trial) float64 { return m.scale(m.of(t) - m.of(w) + level) })
}

// divided are the same, divided by wire's of the same repeat.
func divided(m Metric, g group, wire *record.DUT) series {
	return withWire(g, wire, func(t, w *record.Trial) float64 { return m.scale(m.of(t)) - m.scale(m.of(w)) })
}

// withWire has values of the trials that wire made in the same repeat, too.
func withWire(g group, wire *record.DUT, of func(t, w *record.Trial) float64) series {
	return seriesOf(g, func(t *record.Trial) float64 {
		if w := trialOf(wire, t); w != nil {
			return of(t, w)
		}
		return math.NaN()
	})
}

// wireLevel is wire's figure in the trials of a group; of loss it is 0, which a loss without
// wire's is compared at.
func wireLevel(m Metric, g group, wire *record.DUT) float64 {
	if m.Additive() {
		return 0
	}
	return stats.Median(withWire(g, wire, func(_, w *record.Trial) float64 { return m.of(w) }).values())
}

// explains reports whether wire's figure explains the UPF's: they move together from repeat
// to repeat of the runs, which visit both in turn.
func explains(m Metric, g groupPair, in inputs) bool {
	const enough, least = 0.01, 0.5 // of p, and of the slope
	slope, p := stats.Covary(together(m, g.A, in.wireA), together(m, g.B, in.wireB))
	return p < enough && slope > least
}

// together are wire's figure and the UPF's, by repeat.
func together(m Metric, g group, wire *record.DUT) (pairs [][2]float64) {
	upf := raw(m, g)
	for _, w := range withWire(g, wire, func(_, w *record.Trial) float64 { return m.scale(m.of(w)) }) {
		at := slices.IndexFunc(upf, func(v value) bool { return v.Repeat == w.Repeat })
		if at >= 0 { // the UPF may have let nothing through, of which there is no ratio
			pairs = append(pairs, [2]float64{w.V, upf[at].V})
		}
	}
	return pairs
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
	if r.Until != nil { // the number of repeats may follow from what they gave
		return blocked(m, c, blocksOf(r, p, repeats, differences), d)
	}
	if why := oneSided(r, p, repeats); why != "" {
		return c, test{why: why}
	}
	diff, ok := stats.Paired(differences, d)
	return c.with(m, diff, ok), test{diff: diff, ok: ok}
}

// blocked compares by whole blocks.
func blocked(m Metric, c Change, blocks []float64, d stats.Doubt) (Change, test) {
	if len(blocks) == 0 {
		return c, test{}
	}
	diff := stats.Blocked(blocks, d)
	c.Value = m.unscale(diff.Value)
	return c.with(m, diff, true), test{diff: diff, ok: true}
}

func unknown() Change { return Change{P: 1, PFamily: 1} }

func (c Change) with(m Metric, d stats.Difference, ok bool) Change {
	if !ok {
		return c
	}
	c.P = d.P()
	if !math.IsInf(d.Lo, 0) && !math.IsInf(d.Hi, 0) {
		c.Interval = &Interval{Lo: m.unscale(d.Lo), Hi: m.unscale(d.Hi)}
	}
	return c
}

// disturbances limit a delay that is known to be at most what was measured, since packets that
// waited for a disturbance may be in it.
const disturbances record.Limit = "disturbances"

// limitOf is what limits a figure of a trial.
func limitOf(m Metric, t *record.Trial) record.Limit {
	if m.ofLatency() && t.Latency.AtMost(m.of(t)) && ofDUT(m, t.LimitedBy) {
		return disturbances
	}
	return t.LimitedBy
}

// sample sums one side up, in the metric's unit.
func sample(m Metric, g group, reference bool) Sample {
	s := Sample{Limits: []Limit{}}
	bounded, byHost, above, trials := 0, 0, 0, 0
	for _, t := range g.Valid {
		if math.IsNaN(m.of(t)) {
			continue
		}
		trials++
		if m.ofLatency() && t.Latency.AtLeast(m.of(t)) || m == CPU && t.CPU.AtLeast {
			above++
		}
		limit := limitOf(m, t)
		s.addLimit(limit)
		if !reference && m.ofBench() && !ofDUT(m, limit) {
			bounded++
			if limit == record.LimitHost || limit == disturbances {
				byHost++
			}
		}
	}
	values := seriesOf(g, m.of).values()
	if s.N = len(values); s.N > 0 {
		s.Median = stats.Median(values)
		s.Bounded, s.AtLeast = 2*bounded >= trials, above > 0 && 2*above >= trials
		s.ByHost = s.Bounded && 2*(bounded-byHost) < trials
		s.Sign = m.sign(g.Valid, s.Bounded)
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
func ofDUT(m Metric, limit record.Limit) bool {
	return limit == record.LimitDUT || limit == record.LimitNone && m != RxPPS && !m.OfSearch()
}

func (s *Sample) addLimit(name record.Limit) {
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
