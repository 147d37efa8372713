package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func measured(s simulated, seed uint64, name string) Input {
	return Input{name, s.run(rand.New(rand.NewPCG(seed, 1)), name)}
}

// two gives a run and one like it, with 10 % less rate.
func two() (a, b Input) {
	return measured(simulated{repeats: 5, noise: 0.01}, 1, "A"), measured(simulated{repeats: 5, noise: 0.01, rate: 0.9}, 2, "B")
}

func compared(t *testing.T, a, b Input, o Options) *Comparison {
	t.Helper()
	c, err := Compare(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func figure(t *testing.T, c *Comparison, m Metric, where string) Figure {
	t.Helper()
	for _, f := range c.Pairs[0].Figures {
		if f.Metric == m && Where(f.Kind, f.Direction, f.Load) == where {
			return f
		}
	}
	t.Fatalf("no %s of %s", m, where)
	return Figure{}
}

// change applies edit to each trial of a DUT.
func change(in Input, label string, edit func(*record.Trial)) {
	d := byLabel(in.Result, label)
	for i := range d.Trials {
		edit(&d.Trials[i])
	}
}

func TestWhichFiguresAreCompared(t *testing.T) {
	a, b := two()
	c := compared(t, a, b, Options{})
	if len(c.Pairs) != 2 || c.Pairs[0].Reference() || !c.Pairs[1].Reference() {
		t.Fatalf("pairs %+v, want the UPF, then wire", c.Pairs)
	}
	var got []string
	for _, f := range c.Pairs[0].Figures {
		if f.Direction == "uplink" {
			got = append(got, f.Load+" "+string(f.Metric))
		}
	}
	want := []string{
		"150k frame_loss_ratio", "150k latency.p50", "150k latency.p99", "150k cpu_ns_per_packet",
		"500k frame_loss_ratio", "500k latency.p50", "500k latency.p99", "500k cpu_ns_per_packet",
		"max rx_pps", "max cpu_ns_per_packet", "1k latency.p50", "1k latency.p99",
	}
	if !slices.Equal(got, want) {
		t.Errorf("figures %q, want %q", got, want)
	}
	only := compared(t, a, b, Options{Metrics: []Metric{RxPPS}})
	if len(only.Pairs[0].Figures) != 2 || only.Family != 2 {
		t.Errorf("asked for one metric: %d figures, family %d", len(only.Pairs[0].Figures), only.Family)
	}
}

func TestVerdictsByWhatLimited(t *testing.T) {
	limit := func(in Input, name record.Limit, repeats int) {
		change(in, "builtin:xdp", func(tr *record.Trial) {
			if tr.Load.Max() && tr.Repeat <= repeats {
				tr.LimitedBy = name
			}
		})
	}
	for _, c := range []struct {
		story          string
		inA, inB       int // repeats that the link limited
		swap           bool
		verdict        Verdict
		why            string
		closed, within bool
	}{
		{"both of the DUT", 0, 0, false, Worse, "", true, false},
		{"all of B by the link: the DUT may do better", 0, 5, false, CannotTell, "B was limited by link", false, false},
		{"all of A by the link: it is worse still", 5, 0, false, Worse, "", true, false},
		{"both by the link", 5, 5, false, CannotTell, "the bench's figure", false, false},
		{"two of five by the link: the median is not", 0, 2, false, Worse, "", true, false},
		{"better, both of the DUT", 0, 0, true, Better, "", false, true},
		{"better, A by the link", 5, 0, true, CannotTell, "A was limited by link", false, false},
		{"better, B by the link: it is better still", 0, 5, true, Better, "", false, true},
	} {
		a, b := two()
		if c.swap {
			a, b = b, a
		}
		limit(a, "link", c.inA)
		limit(b, "link", c.inB)
		made := compared(t, a, b, Options{Metrics: []Metric{RxPPS}, Threshold: 0.03})
		f := figure(t, made, RxPPS, "uplink max")
		if f.Verdict != c.verdict || !strings.Contains(f.Why, c.why) || (c.why == "") != (f.Why == "") {
			t.Errorf("%s: %s, %q; want %s, %q", c.story, f.Verdict, f.Why, c.verdict, c.why)
		}
		if closed := len(made.Gate.Worse) > 0; closed != c.closed || f.within(0.03) != c.within {
			t.Errorf("%s: gate closed %v, want %v; within %v, want %v", c.story, closed, c.closed, f.within(0.03), c.within)
		}
	}
}

// A delay that is known to be at most a value may be less: it is not held against B, and not
// for B against A.
func TestDelaysThatAreBounds(t *testing.T) {
	bound := func(in Input) {
		change(in, "builtin:xdp", func(tr *record.Trial) {
			if tr.Latency != nil {
				tr.Latency.UpperBound = true
			}
		})
	}
	slower := func(in Input) {
		change(in, "builtin:xdp", func(tr *record.Trial) {
			if tr.Latency != nil {
				tr.Latency.P99 *= 3
			}
		})
	}
	for _, c := range []struct {
		inA, inB, swap bool
		verdict        Verdict
		why            string
	}{
		{false, false, false, Worse, ""},
		{false, true, false, CannotTell, "B was limited by disturbances"},
		{true, false, false, Worse, ""},
		{true, true, false, CannotTell, "limited by disturbances"},
		{true, false, true, CannotTell, "A was limited by disturbances"},
		{false, true, true, Better, ""},
	} {
		a, b := two()
		if slower(b); c.swap {
			a, b = b, a
		}
		if c.inA {
			bound(a)
		}
		if c.inB {
			bound(b)
		}
		made := compared(t, a, b, Options{Metrics: []Metric{P99}})
		f := made.Pairs[0].Figures[0]
		if f.Verdict != c.verdict || !strings.Contains(f.Why, c.why) {
			t.Errorf("%+v: %s, %q", c, f.Verdict, f.Why)
		}
	}
}

// A delay with packets that were never sent is at least a value over 500 us: it is not held for
// B against A, and not against B where it is A's. No gate closes or opens on it.
func TestDelaysThatAreAtLeast(t *testing.T) {
	p99 := func(in Input, factor uint64) {
		change(in, "builtin:xdp", func(tr *record.Trial) {
			if tr.Latency != nil {
				tr.Latency.P99 *= factor
			}
		})
	}
	skipped := func(in Input) {
		change(in, "builtin:xdp", func(tr *record.Trial) {
			if tr.Latency != nil {
				tr.Latency.Skipped = 9
			}
		})
	}
	for _, c := range []struct {
		inA, inB, swap bool
		verdict        Verdict
		why            string
		closed         bool
	}{
		{false, false, false, Worse, "", true},
		{false, true, false, Worse, "", true}, // it is worse still
		{true, false, false, CannotTell, "A is at least that", false},
		{true, true, false, CannotTell, "both are at least that", false},
		{false, true, true, CannotTell, "B is at least that", false},
		{true, false, true, Better, "", false},
	} {
		a, b := two()
		p99(a, 10_000)
		p99(b, 30_000)
		if c.swap {
			a, b = b, a
		}
		if c.inA {
			skipped(a)
		}
		if c.inB {
			skipped(b)
		}
		made := compared(t, a, b, Options{Metrics: []Metric{P99}, Threshold: 0.1})
		f := made.Pairs[0].Figures[0]
		if f.Verdict != c.verdict || !strings.Contains(f.Why, c.why) || f.A.AtLeast != c.inA || f.B.AtLeast != c.inB {
			t.Errorf("%+v: %s, %q, %+v, %+v", c, f.Verdict, f.Why, f.A, f.B)
		}
		if closed := len(made.Gate.Worse) > 0; closed != c.closed || f.within(0.1) && f.B.AtLeast {
			t.Errorf("%+v: closed %v, within %v", c, closed, f.within(0.1))
		}
	}
}

// TestEqualBoundsTellNothing: where each repeat of both sides shows what a packet counts as that
// was never sent, the delays are not equal, for either may be longer.
func TestEqualBoundsTellNothing(t *testing.T) {
	set := func(in Input, skipped uint64) {
		change(in, "builtin:xdp", func(tr *record.Trial) {
			if tr.Latency != nil {
				tr.Latency.P99, tr.Latency.Skipped = record.SkippedNS, skipped
			}
		})
	}
	for _, c := range []struct {
		inA, inB uint64
		verdict  Verdict
		why      string
	}{
		{0, 0, Equal, ""},
		{9, 9, CannotTell, "both are at least that: packets are in it that the generator was too late to send"},
		{9, 0, CannotTell, "A is at least that: packets are in it that the generator was too late to send"},
		{0, 9, CannotTell, "B is at least that: packets are in it that the generator was too late to send"},
	} {
		a, b := two()
		set(a, c.inA)
		set(b, c.inB)
		f := compared(t, a, b, Options{Metrics: []Metric{P99}}).Pairs[0].Figures[0]
		if f.Verdict != c.verdict || !strings.HasPrefix(f.Why, c.why) || c.why == "" && f.Why != "" {
			t.Errorf("%+v: %s, %q", c, f.Verdict, f.Why)
		}
	}
}

func TestFewRepeatsTellNothing(t *testing.T) {
	for _, c := range []struct {
		story    string
		inA, inB int
		o        Options
		m        Metric
		verdict  Verdict
		why      string
	}{
		{"one a side", 1, 1, Options{}, RxPPS, CannotTell, "1 repeat a side: use --set repeats=5"},
		{"two a side", 2, 2, Options{}, RxPPS, CannotTell, "2 repeats a side"},
		{"five and one", 5, 1, Options{}, RxPPS, CannotTell, "5 repeats in A, 1 in B"},
		{"one a side, noise known", 1, 1, Options{Noise: 0.01}, RxPPS, Worse, ""},
		{"one a side, noise as large as the drop", 1, 1, Options{Noise: 0.1}, RxPPS, CannotTell, ""},
		{"one a side, a percentile needs noise of its own", 1, 1, Options{Noise: 0.01}, P99, CannotTell, "--noise latency.p99=RATIO"},
		{"one a side, noise of the metric", 1, 1, Options{NoiseOf: map[Metric]float64{RxPPS: 0.01}}, RxPPS, Worse, ""},
	} {
		a := measured(simulated{repeats: c.inA, noise: 0.001}, 1, "A")
		b := measured(simulated{repeats: c.inB, noise: 0.001, rate: 0.85}, 2, "B")
		a.Result.Calibration, b.Result.Calibration = nil, nil
		load := map[Metric]string{RxPPS: "uplink max", P99: "uplink 150k"}[c.m]
		f := figure(t, compared(t, a, b, c.o), c.m, load)
		if f.Verdict != c.verdict || !strings.HasPrefix(f.Why, c.why) && !strings.HasSuffix(f.Why, c.why) {
			t.Errorf("%s: %s, %q; want %s, %q", c.story, f.Verdict, f.Why, c.verdict, c.why)
		}
	}
}

// TestInvalidRepeatsNeedMore: whoever ran five repeats, of which two are valid on both sides, is not told to run five.
func TestInvalidRepeatsNeedMore(t *testing.T) {
	f := Figure{Metric: RxPPS, A: Sample{N: 4}, B: Sample{N: 3}, Basis: BasisPaired, Paired: Change{N: 2}}
	const want = "2 repeats with valid figures of both: use more repeats or a quieter machine, or give --noise"
	if got := f.tooFew(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSameLossIsEqual(t *testing.T) {
	a, b := two()
	c := compared(t, a, b, Options{})
	if f := figure(t, c, FrameLoss, "uplink 150k"); f.Verdict != Equal || f.Change().Value != 0 {
		t.Errorf("no loss on either side: %+v", f)
	}
	change(b, "wire", func(tr *record.Trial) { tr.FrameLossRatio = 0.01 * float64(tr.Repeat) })
	c = compared(t, a, b, Options{})
	if f := figure(t, c, FrameLoss, "uplink 150k"); f.Verdict != Equal || f.Change().Value != 0 || f.Basis != BasisRaw {
		t.Errorf("only wire lost packets: %+v", f)
	}
}

func TestByWireOrAsMeasured(t *testing.T) {
	a, b := two()
	slow := measured(simulated{repeats: 5, noise: 0.01, speed: 0.8}, 3, "B")
	drifts := measured(simulated{repeats: 5, noise: 0.01, drift: 0.2, speed: 0.8}, 5, "B")
	for _, c := range []struct {
		story string
		b     Input
		o     Options
		basis Basis
		near  float64 // change of the uplink's rate
	}{
		{"same machine", b, Options{}, BasisRaw, -0.1},
		{"slower machine: wire does not explain the rate within the runs", slow, Options{}, BasisRaw, -0.2},
		{"slower machine, as measured", slow, Options{Raw: true}, BasisRaw, -0.2},
		{"a machine that drifts: wire explains the rate", drifts, Options{}, BasisWire, 0},
	} {
		made := compared(t, a, c.b, c.o)
		f := figure(t, made, RxPPS, "uplink max")
		if f.Basis != c.basis || math.Abs(f.Change().Value-c.near) > 0.03 {
			t.Errorf("%s: %s %v, want %s and about %v", c.story, f.Basis, f.Change().Value, c.basis, c.near)
		}
	}
	if f := figure(t, compared(t, a, slow, Options{}), RxPPS, "uplink max"); f.Verdict != CannotTell ||
		math.Abs(f.ByWire.Value) > 0.03 || !strings.Contains(f.Why, "wire or the machine") {
		t.Errorf("a slower machine: %s, by wire %v, %q", f.Verdict, f.ByWire.Value, f.Why)
	}
	if c := compared(t, a, slow, Options{}); !strings.Contains(strings.Join(c.Caveats, "\n"), "wire itself changed") {
		t.Errorf("caveats %q do not say that the machine changed", c.Caveats)
	}
	slow.Result.DUTs = slow.Result.DUTs[1:]
	if c := compared(t, a, slow, Options{}); c.Basis != BasisRaw || !strings.Contains(c.BasisWhy, "B has no wire") {
		t.Errorf("no wire in B: %s, %q", c.Basis, c.BasisWhy)
	}
}

func TestWireThatMovedAloneIsNotHeldAgainstTheUPF(t *testing.T) {
	a := measured(simulated{repeats: 5, noise: 0.01}, 1, "A")
	b := measured(simulated{repeats: 5, noise: 0.01, rate: 1.1}, 2, "B")
	change(b, "wire", func(tr *record.Trial) { tr.RxPPS *= 2.5 })
	c := compared(t, a, b, Options{Metrics: []Metric{RxPPS}})
	f := figure(t, c, RxPPS, "uplink max")
	if f.Verdict != CannotTell || !strings.Contains(f.Why, "wire or the machine") || len(c.Gate.Worse) > 0 {
		t.Errorf("wire 2.5 times as fast, the UPF by 10 %%: %s, %q, gate %v", f.Verdict, f.Why, c.Gate)
	}
}

func TestInvalidTrialsAreLeftOut(t *testing.T) {
	a, b := two()
	change(b, "builtin:xdp", func(tr *record.Trial) {
		if tr.Load.Max() && tr.Repeat > 3 {
			tr.Valid, tr.RxPPS, tr.Reasons = false, 1, []string{"steal of 9 %"}
		}
	})
	c := compared(t, a, b, Options{})
	f := figure(t, c, RxPPS, "uplink max")
	if f.B.N != 3 || f.B.Median < 2e6 || f.Change().N != 3 {
		t.Errorf("of B %+v, change %+v, want the three valid ones", f.B, f.Change())
	}
	want := "builtin:xdp in B, uplink max, repeat 4, 5: not valid: steal of 9 %"
	if !slices.Contains(c.LeftOut, want) {
		t.Errorf("left out: %q, want %q", c.LeftOut, want)
	}
}

func TestUPFThatFailedCannotBeCompared(t *testing.T) {
	a, b := two()
	d := byLabel(b.Result, "builtin:xdp")
	d.Status, d.Error, d.Trials = record.StatusFailed, "exited at start", nil
	c := compared(t, a, b, Options{})
	if want := []string{"builtin:xdp in B: exited at start"}; !slices.Equal(c.Incomparable, want) {
		t.Errorf("incomparable: %q, want %q", c.Incomparable, want)
	}
	a, b = two()
	change(b, "builtin:xdp", func(tr *record.Trial) { tr.Valid = false })
	c = compared(t, a, b, Options{})
	if want := []string{"builtin:xdp in B: none of its trials is valid"}; !slices.Equal(c.Incomparable, want) {
		t.Errorf("incomparable: %q, want %q", c.Incomparable, want)
	}
}

func TestTwoDUTsOfOneRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	fast := simulated{repeats: 5, noise: 0.01}.run(rng, "A")
	slow := simulated{repeats: 5, noise: 0.01, rate: 0.9}.run(rng, "A")
	slow.DUTs[1].Name, slow.DUTs[1].Mode = "eupf", "native"
	fast.DUTs = append(fast.DUTs, slow.DUTs[1])
	in := Input{"both", fast}
	for _, o := range []Options{{DUT: "builtin", Against: "eupf"}, {}} { // the second: the two that it has
		c := compared(t, in, in, o)
		f := figure(t, c, RxPPS, "uplink max")
		if !c.OneRun || f.Basis != BasisPaired || f.Verdict != Worse || f.Change().N != 5 {
			t.Errorf("one run %v, figure %+v", c.OneRun, f)
		}
		if len(c.Pairs) != 1 || c.Pairs[0].Title() != "builtin:xdp (A) against eupf:native (B)" {
			t.Errorf("pairs %+v", c.Pairs)
		}
	}
	wire := compared(t, in, in, Options{DUT: "wire", Against: "eupf"})
	if wire.Gate.Figures != 0 || len(wire.Gate.Worse) != 0 {
		t.Errorf("a UPF is slower than wire, which is no regression: %+v", wire.Gate)
	}
}

func TestWrongCalls(t *testing.T) {
	a, b := two()
	other := measured(simulated{repeats: 1}, 9, "C")
	other.Result.DUTs[1].Name = "eupf"
	modes := measured(simulated{repeats: 1}, 9, "D")
	modes.Result.DUTs = append(modes.Result.DUTs, modes.Result.DUTs[1])
	modes.Result.DUTs[2].Mode = "xdp-generic"
	elsewhere := measured(simulated{repeats: 1}, 9, "E")
	change(elsewhere, "builtin:xdp", func(tr *record.Trial) { tr.Load, tr.Kind = record.Load{PPS: 7000}, "load" })
	for _, c := range []struct {
		story string
		a, b  Input
		o     Options
		want  string
	}{
		{"itself", a, a, Options{}, "A has one UPF, builtin:xdp, and a comparison needs two"},
		{"itself, one named", a, a, Options{DUT: "builtin"}, "--dut and --against are both needed"},
		{"itself, the same twice", a, a, Options{DUT: "builtin", Against: "builtin:xdp"}, "with itself in one run"},
		{"nothing in common", a, other, Options{}, "no UPF in common (A: wire, builtin:xdp; B: wire, eupf:xdp)"},
		{"unknown DUT", a, b, Options{DUT: "open5gs"}, `find DUT "open5gs" in A: it has wire, builtin:xdp`},
		{"several modes", a, modes, Options{Against: "builtin"}, "builtin:xdp, builtin:xdp-generic"},
		{"no load in common", a, elsewhere, Options{}, "no kind, direction and load is in both"},
		{"unknown metric", a, b, Options{Metrics: []Metric{"pps"}}, `no metric "pps"; there are ndr_pps`},
		{"unknown metric's noise", a, b, Options{NoiseOf: map[Metric]float64{"pps": 0.1}}, `no metric "pps"`},
		{"noise of 500 %", a, b, Options{Noise: 5}, "a noise of 5"},
		{"threshold is no number", a, b, Options{Threshold: math.NaN()}, "a threshold of NaN"},
	} {
		_, err := Compare(c.a, c.b, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.story, err, c.want)
		}
	}
}

func TestCaveats(t *testing.T) {
	a, b := two()
	if c := compared(t, a, b, Options{}); len(c.Caveats) > 0 {
		t.Errorf("nothing differs, caveats %q", c.Caveats)
	}
	b.Result.Host.Kernel = "6.18.0"
	b.Result.Host.StealRatio = 0.03
	b.Result.Complete = false
	b.Result.Notes = []string{"the clock stepped"}
	b.Result.Settings = "repeats: 9\nloads: [500k, max]\npayload: 64\nlatency:\n  rate: 2k\nextra: 1\n"
	change(b, "builtin:xdp", func(tr *record.Trial) { tr.PayloadBytes, tr.RxFrameBytes = 64, 1434 })
	got := compared(t, a, b, Options{}).Caveats
	want := []string{
		"kernel: A 6.12.1, B 6.18.0", "extra: A (none), B 1", "latency.rate: A 1k, B 2k", "payload: A 1400, B 64",
		"B is incomplete", "B lost 3 % of its time to the hypervisor", "B: the clock stepped",
		"uplink frames, towards the UPF and from it: A 1486 and 1442 B, B 1486 and 1434 B",
		"downlink frames, towards the UPF and from it: A 1486 and 1442 B, B 1486 and 1434 B",
	}
	if !slices.Equal(got, want) {
		t.Errorf("caveats\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b.Result.Settings = "\t- :"
	if got := compared(t, a, b, Options{}).Caveats; !strings.Contains(strings.Join(got, "\n"), "could not be compared") {
		t.Errorf("settings that are no YAML: caveats %q", got)
	}
}

func TestPayloadsOfOneRunAreKeptApart(t *testing.T) {
	sizes := func(in Input) {
		d := byLabel(in.Result, "builtin:xdp")
		small := slices.Clone(d.Trials)
		for i := range small {
			small[i].PayloadBytes = 64
			small[i].RxPPS *= 2
		}
		d.Trials = append(d.Trials, small...)
	}
	a, b := two()
	sizes(a)
	sizes(b)
	c := compared(t, a, b, Options{Metrics: []Metric{RxPPS}, Raw: true})
	if f := figure(t, c, RxPPS, "uplink max, 64 B"); f.A.Median < 5e6 {
		t.Errorf("of 64 B: %+v", f.A)
	}
	for _, f := range c.Pairs[0].Figures {
		if f.A.N != 5 || math.Abs(f.Change().Value+0.1) > 0.03 {
			t.Errorf("%s: %d repeats, change %v", Where(f.Kind, f.Direction, f.Load), f.A.N, f.Change().Value)
		}
	}
}

// TestSizesAreMatched: mixtures with the same mean as a size are not that size,
// and what only one side has is left out.
func TestSizesAreMatched(t *testing.T) {
	sized := func(in Input, names ...string) {
		d := byLabel(in.Result, "builtin:xdp")
		plain := d.Trials
		d.Trials = nil
		for _, name := range names {
			for _, trial := range plain {
				trial.Size, trial.PayloadBytes = name, 316
				if name == "imix" {
					trial.RxPPS /= 2
				}
				d.Trials = append(d.Trials, trial)
			}
		}
	}
	a, b := two()
	sized(a, "frame:362", "imix", "frame:1518")
	sized(b, "imix", "frame:362")
	c := compared(t, a, b, Options{Metrics: []Metric{RxPPS}, Raw: true})
	if size, mix := figure(t, c, RxPPS, "uplink max, frame:362"), figure(t, c, RxPPS, "uplink max, imix"); size.A.Median < 1.9*mix.A.Median {
		t.Errorf("frame:362 has %g, imix %g packets/s", size.A.Median, mix.A.Median)
	}
	for _, f := range c.Pairs[0].Figures {
		if f.A.N != 5 || math.Abs(f.Change().Value+0.1) > 0.03 || strings.Contains(f.Load, "1518") {
			t.Errorf("%s: %d repeats, change %v", Where(f.Kind, f.Direction, f.Load), f.A.N, f.Change().Value)
		}
	}
}

func TestComparisonIsJSON(t *testing.T) {
	a, b := two()
	b.Result.DUTs[1].Trials = b.Result.DUTs[1].Trials[:3]
	if _, err := json.Marshal(compared(t, a, b, Options{Threshold: 0.03})); err != nil {
		t.Error(err)
	}
}

// TestNothingArrived: a repeat in which the UPF let nothing through has no ratio to wire's, and the
// others are compared.
func TestNothingArrived(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	s := simulated{repeats: 7, noise: 0.01}
	a, b := Input{"a", s.run(rng, "a")}, Input{"b", s.run(rng, "b")}
	change(b, "builtin:xdp", func(x *record.Trial) {
		if x.Repeat == 3 {
			x.RxPackets, x.RxPPS = 0, 0
		}
	})
	f := figure(t, compared(t, a, b, Options{Metrics: []Metric{RxPPS}}), RxPPS, "uplink max")
	if f.A.N != 7 || f.B.N != 6 || !f.Raw.Known {
		t.Errorf("%d and %d repeats, %+v", f.A.N, f.B.N, f.Raw)
	}
}

// TestSignsAreThoseOfReports: what kind of a bound a delay is, its distribution says alone, in a
// comparison as in a report: that the generator limited the trial makes it no upper bound.
func TestSignsAreThoseOfReports(t *testing.T) {
	for _, limit := range []record.Limit{record.LimitNone, record.LimitGenerator, record.LimitUnknown} {
		for _, c := range []struct {
			upper   bool
			skipped uint64
		}{{false, 0}, {true, 0}, {false, 9}, {true, 9}} {
			a, b := two()
			change(b, "builtin:xdp", func(tr *record.Trial) {
				if tr.LimitedBy = limit; tr.Latency != nil {
					tr.Latency.P99, tr.Latency.UpperBound, tr.Latency.Skipped = 30e6, c.upper, c.skipped
				}
			})
			f := compared(t, a, b, Options{Metrics: []Metric{P99}}).Pairs[0].Figures[0]
			if want := record.BoundSign(c.upper, c.skipped > 0); f.B.Sign != want {
				t.Errorf("limited by %s, %+v: %q, want %q", limit, c, f.B.Sign, want)
			}
		}
	}
}
