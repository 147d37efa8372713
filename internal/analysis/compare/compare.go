package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/spelling"
)

// Input is one side: a result and what the user calls it.
type Input struct {
	Name   string
	Result *record.Result
}

// Options say what is compared, and how. The zero value compares all.
type Options struct {
	// DUT and Against choose one DUT of A and one of B, name:mode, or the name
	// where there is one mode. With one of them only, both sides have that DUT.
	DUT, Against string
	Metrics      []Metric // empty: all
	Raw          bool     // figures as measured, even where wire was measured with them
	// Noise is the standard deviation from run to run of the same thing, as a ratio, 0..1, in place of what
	// the machine was calibrated to, or of what is assumed of one that was not; 0: not given.
	Noise float64
	// NoiseOf is that of one metric. A latency of fewer than MinRepeats needs its
	// own: percentiles scatter far more than rates.
	NoiseOf   map[Metric]float64
	Threshold float64 // of the gate, as a ratio, 0..1
}

// inputs are both sides, prepared.
type inputs struct {
	a, b         Input
	wireA, wireB *record.DUT // nil: not measured
	oneRun       bool
	calibration  *record.Calibration // of the machine of both; nil: it was not calibrated, or there are two
}

// Compare holds b against a; both may be the same run, to compare two DUTs of
// it. It fails when the options name what is not there or nothing is in common.
func Compare(a, b Input, o Options) (*Comparison, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if sameRun(a.Result, b.Result) && !o.names(a) {
		a.Result, b.Result = byFamily(a.Result), byFamily(b.Result) // it is a family that they name
	}
	in := inputs{a: a, b: b, wireA: wireOf(a.Result), wireB: wireOf(b.Result), oneRun: sameRun(a.Result, b.Result), calibration: calibrationOf(a.Result, b.Result)}
	picked, err := pick(in, o)
	if err != nil {
		return nil, err
	}
	c := &Comparison{A: side(a), B: side(b), OneRun: in.oneRun, Threshold: o.Threshold, Noise: o.Noise}
	c.Basis, c.BasisWhy = chooseBasis(in, o)
	c.LeftOut = strangers(in, o)
	for _, p := range picked {
		c.pair(in, o, p)
	}
	if err := c.something(o); err != nil {
		return nil, err
	}
	c.Between = c.betweenRuns(in, o)
	c.judge()
	c.gate()
	c.Caveats = slices.Concat(c.drift(), circumstances(in), frames(picked))
	return c, nil
}

func (o Options) check() error {
	ratios := map[string]float64{"noise": o.Noise, "threshold": o.Threshold}
	for m, noise := range o.NoiseOf {
		ratios["noise of "+string(m)] = noise
	}
	for name, r := range ratios {
		if !(r >= 0 && r < 1) {
			return fmt.Errorf("a %s of %v: give a ratio from 0 to below 1", name, r)
		}
	}
	for _, m := range slices.Concat(o.Metrics, slices.Collect(maps.Keys(o.NoiseOf))) {
		if err := m.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Check refuses a name that no metric has.
func (m Metric) Check() error {
	if slices.Contains(Metrics(), m) {
		return nil
	}
	return fmt.Errorf("there is no metric %q%s; there are %s", m, spelling.DidYouMean(string(m), metricNames()),
		strings.Join(metricNames(), ", "))
}

func metricNames() (names []string) {
	for _, m := range Metrics() {
		names = append(names, string(m))
	}
	return names
}

func side(in Input) Side {
	r := in.Result
	return Side{Name: in.Name, Run: r.Run, Scenario: r.Scenario, Started: r.Started, Tool: r.Tool}
}

func sameRun(a, b *record.Result) bool {
	return a == b || a.Run == b.Run && a.Started.Equal(b.Started) && a.Host.Hostname == b.Host.Hostname
}

// wireOf is the reference of a result; nil when none was measured.
func wireOf(r *record.Result) *record.DUT {
	for i := range r.DUTs {
		if r.DUTs[i].Reference && len(r.DUTs[i].Trials)+len(r.DUTs[i].Searches) > 0 {
			return &r.DUTs[i]
		}
	}
	return nil
}

// pair compares two DUTs.
func (c *Comparison) pair(in inputs, o Options, p dutPair) {
	groupsA, groupsB := groupsOf(p.A), groupsOf(p.B)
	pairs, onlyA, onlyB := match(groupsA, groupsB)
	c.leaveOut("A", p.A, groupsA, onlyA)
	c.leaveOut("B", p.B, groupsB, onlyB)
	if why := incomparable(p, groupsA, groupsB); why != "" {
		c.Incomparable = append(c.Incomparable, why)
	}
	out := Pair{A: dut(p.A), B: dut(p.B)}
	for _, g := range pairs {
		if in.oneRun {
			c.excludeFarCPUs(p.A, p.B, g)
		}
		for _, m := range o.metrics() {
			if f := newFigure(in, o, c.Basis, p, g, m); f != nil {
				out.Figures = append(out.Figures, *f)
			}
		}
	}
	if len(out.Figures) > 0 {
		c.Pairs = append(c.Pairs, out)
	}
}

func dut(d *record.DUT) DUT {
	return DUT{Label: Label(d), Version: d.Version, Reference: d.Reference}
}

func (o Options) metrics() []Metric {
	if len(o.Metrics) == 0 {
		return Metrics()
	}
	return o.Metrics
}

// something fails when no UPF has a figure in common, and not because it
// failed: the settings do not fit.
func (c *Comparison) something(o Options) error {
	if len(c.Incomparable) > 0 || slices.ContainsFunc(c.Pairs, func(p Pair) bool { return !p.Reference() }) {
		return nil
	}
	why := "no kind, direction and load is in both"
	if len(o.Metrics) > 0 {
		why += " that has the metrics asked for"
	}
	return fmt.Errorf("compare %s with %s: %s; %s", c.A.Name, c.B.Name, why, strings.Join(c.LeftOut, "; "))
}
