package compare

import (
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Comparison is B held against A.
type Comparison struct {
	A Side `json:"a"`
	B Side `json:"b"`
	// OneRun is true when both sides are DUTs of the same run.
	OneRun    bool    `json:"one_run"`
	Basis     Basis   `json:"basis"`     // of figures that do not say otherwise
	BasisWhy  string  `json:"basis_why"` // why this one
	Threshold float64 `json:"threshold"` // of the gate, as a ratio
	Noise     float64 `json:"noise"`     // between runs, as a ratio; 0: not given
	// Between is what the machine differs by from run to run; nil: both sides are of one run, or Noise says it.
	Between *Between `json:"between_runs,omitempty"`
	// Family is how many figures of UPFs the verdicts hold for together.
	Family int `json:"family"`
	// Caveats are differences of the circumstances, and doubts.
	Caveats []string `json:"caveats"`
	Pairs   []Pair   `json:"pairs"`    // references last
	LeftOut []string `json:"left_out"` // what has no partner or is not valid
	// Incomparable names the DUTs of which one side has nothing valid, and why.
	Incomparable []string `json:"incomparable"`
	Gate         Gate     `json:"gate"`
}

// Side is where the figures of A or B come from.
type Side struct {
	Name     string      `json:"name"` // as the user named it: a path
	Run      string      `json:"run"`
	Scenario string      `json:"scenario"`
	Started  time.Time   `json:"started"`
	Tool     record.Tool `json:"tool"`
}

// DUT is one side of a pair.
type DUT struct {
	Label   string `json:"label"` // name:mode
	Version string `json:"version"`
	// Reference is true for wire.
	Reference bool `json:"reference"`
}

// Pair is a DUT of A, one of B, and their figures.
type Pair struct {
	A       DUT      `json:"a"`
	B       DUT      `json:"b"`
	Figures []Figure `json:"figures"`
}

// Reference reports whether no UPF is on either side: differences are those of
// the machine.
func (p Pair) Reference() bool { return p.A.Reference && p.B.Reference }

// gated reports whether B can be worse as a UPF.
func (p Pair) gated() bool { return !p.A.Reference && !p.B.Reference }

// Title names the pair.
func (p Pair) Title() string {
	if p.A.Label == p.B.Label {
		return p.A.Label
	}
	return p.A.Label + " (A) against " + p.B.Label + " (B)"
}

// Basis is what a change is measured on.
type Basis string

// The bases.
const (
	// BasisRaw takes figures as they are.
	BasisRaw Basis = "raw"
	// BasisWire takes wire's figure of the same repeat out: it subtracts it from latency, CPU
	// time and loss, which contain it, and divides rates by it, where it explains them.
	BasisWire Basis = "wire"
	// BasisPaired divides B's by A's of the same repeat of one run.
	BasisPaired Basis = "paired"
)

// Figure is one metric of one trial on both sides.
type Figure struct {
	Metric    Metric           `json:"metric"`
	Kind      record.Kind      `json:"kind"`      // "load" | "latency"
	Direction record.Direction `json:"direction"` // "uplink" | "downlink"
	Load      string           `json:"load"`      // "150k", "max"; with payload and sessions where there are several
	A         Sample           `json:"a"`
	B         Sample           `json:"b"`
	Basis     Basis            `json:"basis"` // of the verdict
	Raw       Change           `json:"raw"`
	ByWire    Change           `json:"by_wire"`
	Paired    Change           `json:"paired"`
	// Builds is true when both sides are builds of one UPF in the same mode.
	Builds bool `json:"builds,omitempty"`

	Verdict Verdict `json:"verdict"`
	// Why is the reason why there is no answer, or a doubt; "" when there is nothing to
	// say but that the interval holds zero.
	Why string `json:"why,omitempty"`

	// Decision is whether B is worse by more than the threshold; "" of references.
	Decision Decision `json:"decision,omitempty"`
	// Needs is about how many more repeats decide it, where that can be told.
	Needs       int    `json:"needs_repeats,omitempty"`
	DecisionWhy string `json:"decision_why,omitempty"` // it cannot be decided

	test test
}

// Change is that of the figure's basis.
func (f *Figure) Change() Change { return f.On(f.Basis) }

// On is the change on another basis.
func (f *Figure) On(b Basis) Change { return *f.change(b) }

func (f *Figure) change(b Basis) *Change {
	switch b {
	case BasisWire:
		return &f.ByWire
	case BasisPaired:
		return &f.Paired
	}
	return &f.Raw
}

// Sides are the two figures that the change lies between, in the metric's unit: A's median, and A's median with
// the change, which is not B's median where repeats are paired, wire is taken out, or their number is even.
// A loss is not below 0: where A's median is less than what B has less, they are B's median without the change,
// and B's median. Where there is no change they are the medians.
func (f *Figure) Sides() (a, b float64) {
	switch c := f.Change(); {
	case !c.Known:
		return f.A.Median, f.B.Median
	case f.Metric.Additive() && f.A.Median+c.Value < 0:
		return f.B.Median - c.Value, f.B.Median
	case f.Metric.Additive():
		return f.A.Median, f.A.Median + c.Value
	default:
		return f.A.Median, f.A.Median * (1 + c.Value)
	}
}

// Sample is one side of a figure, over its valid repeats.
type Sample struct {
	Median float64 `json:"median"` // in the metric's unit; 0 when N is 0
	N      int     `json:"repeats"`
	// Limits counts what limited the repeats.
	Limits []Limit `json:"limits"`
	// Bounded is true when, in half of the repeats or more, something other than
	// the DUT limited a figure that depends on it: the DUT may do better.
	Bounded bool `json:"bounded"`
	// AtLeast is true when, in half of the repeats or more, a delay is at least that, since
	// packets that were never sent are in it as 500 us late, or CPU time, since only the UPF's process
	// is watched.
	AtLeast bool `json:"at_least,omitempty"`
	// Sign is what kind of a bound reports mark it as, as of a Reading.
	Sign string `json:"sign,omitempty"`
	// ByHost is true when it is bounded only because others used the DUT's CPU: without
	// the repeats that the host limited it would not be.
	ByHost bool `json:"by_host,omitempty"`
}

// Limit is how many repeats had a limit.
type Limit struct {
	Name    record.Limit `json:"name"`
	Repeats int          `json:"repeats"`
}

// Change is by how much B differs from A: a ratio, 0.05 being 5 % more, or for
// frame loss a difference of ratios, 0.05 being 5 percentage points more.
type Change struct {
	Known    bool      `json:"known"` // both sides have the figure on this basis
	Value    float64   `json:"value"` // between the medians
	N        int       `json:"repeats"`
	Interval *Interval `json:"interval"`  // nil: too few repeats
	P        float64   `json:"p"`         // of no difference, this figure alone; 1 without an interval
	PFamily  float64   `json:"p_overall"` // the same after Holm, all figures together; of the figure's basis only
}

// Interval holds the true change with 95 % confidence.
type Interval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Verdict is what can be said of a figure of B against A.
type Verdict string

// The verdicts.
const (
	Better     Verdict = "better"
	Worse      Verdict = "worse"
	Equal      Verdict = "equal" // every repeat of both sides has the same value
	CannotTell Verdict = "cannot tell"
)

// Decision is whether B is worse than A by more than a threshold.
type Decision string

// The decisions. Repeats decide the third one, and not the last.
const (
	DecidedWorse    Decision = record.DecisionWorse
	DecidedNotWorse Decision = "not worse"
	NeedsRepeats    Decision = "needs more repeats"
	Undecidable     Decision = "cannot be decided"
)

// Gate says whether B is worse than A by more than the threshold.
type Gate struct {
	// Worse are the figures of UPFs that are, with confidence over all of them.
	Worse []Failure `json:"worse"`
	// Figures is how many were compared, Excluded in how many of them a worsening
	// beyond the threshold can be ruled out.
	Figures  int `json:"figures"`
	Excluded int `json:"excluded"`
	// Open is how many more repeats would decide, and Needs about how many more that takes; 0: it cannot be told.
	Open  int `json:"open"`
	Needs int `json:"needs_repeats,omitempty"`
	// Decision is that for all figures together: worse in one, or not worse in all.
	Decision Decision `json:"decision"`

	unsized bool // of some figure it cannot be told how many
}

// Failure is a figure that is worse beyond the threshold.
type Failure struct {
	Title  string `json:"dut"`
	Figure Figure `json:"figure"`
}
