package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// searchRun is a run of nothing but searches on a simulated bench: what is found
// lies up to a goal's width below the truth, where the search's grid happens to
// be, and scatters with the machine.
func searchRun(rng *rand.Rand, name string, s simulated, width float64) *record.Result {
	r := s.run(rng, name)
	for i := range r.DUTs {
		d := &r.DUTs[i]
		d.Trials = nil
		truth := map[string]float64{"wire": 6e6, "builtin": 3e6 * orOne(s.rate)}[d.Name]
		limit := map[string]record.Limit{"wire": "link", "builtin": "dut"}[d.Name]
		for repeat := 1; repeat <= s.repeats; repeat++ {
			for _, direction := range []string{"uplink", "downlink"} {
				now := truth * scatter(rng, s.noise)
				d.Searches = append(d.Searches, record.Search{
					Method: "mlrsearch", Direction: record.Direction(direction), Repeat: repeat, Sessions: 1,
					PacketSize: record.PacketSize{PayloadBytes: 1400, FrameBytes: 1486},
					Judgement:  record.Judgement{Valid: true},
					Goals: []record.SearchGoal{
						foundGoal(rng, "ndr", now, width, limit), foundGoal(rng, "pdr", now*1.05, width, limit)},
				})
			}
		}
	}
	return r
}

func foundGoal(rng *rand.Rand, name record.Goal, truth, width float64, limit record.Limit) record.SearchGoal {
	lower := truth * (1 - width*rng.Float64())
	return record.SearchGoal{
		Name: name, Width: width, LowerPPS: lower, UpperPPS: lower / (1 - width),
		Judgement: record.Judgement{LimitedBy: limit, Valid: true}, Regular: true,
	}
}

// searchCounts compares many pairs and counts those with any difference, and those
// that close the gate.
func searchCounts(t *testing.T, times int, a, b simulated, width float64, o Options) (differ, closed int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(31, 7))
	for range times {
		c, err := Compare(Input{"A", searchRun(rng, "A", a, width)}, Input{"B", searchRun(rng, "B", b, width)}, o)
		if err != nil {
			t.Fatal(err)
		}
		differ += one(len(verdicts(c)) > 0)
		closed += one(len(c.Gate.Worse) > 0)
	}
	return differ, closed
}

// TestSameSearchedTwice: of 20 comparisons of a thing with itself at most 2 differ,
// with one search a side too.
func TestSameSearchedTwice(t *testing.T) {
	const times = 20
	for _, c := range []struct {
		story string
		s     simulated
		width float64
		o     Options
	}{
		{"five repeats, quiet", simulated{repeats: 5, noise: 0.005}, 0.005, Options{}},
		{"five repeats, noisy", simulated{repeats: 5, noise: 0.05}, 0.005, Options{}},
		{"three repeats, wide goals", simulated{repeats: 3, noise: 0.001}, 0.05, Options{}},
		{"no noise but the search's grid", simulated{repeats: 5}, 0.005, Options{}},
		{"as measured", simulated{repeats: 5, noise: 0.02}, 0.005, Options{Raw: true}},
		{"one search a side", simulated{repeats: 1, noise: 0.02, uncalibrated: true}, 0.005, Options{}},
		{"one search a side, noise known", simulated{repeats: 1, noise: 0.02}, 0.005, Options{Noise: 0.03}},
		{"one search a side, no noise but the grid, noise stated as small", simulated{repeats: 1}, 0.05, Options{Noise: 0.0001}},
	} {
		differ, closed := searchCounts(t, times, c.s, c.s, c.width, c.o)
		t.Logf("%s: %d of %d differ, %d close the gate", c.story, differ, times, closed)
		if differ > 2 || closed > 2 {
			t.Errorf("%s: %d of %d differ, %d close the gate; at most 2", c.story, differ, times, closed)
		}
	}
}

func TestSearchedDropIsFound(t *testing.T) {
	const times = 20
	for _, c := range []struct {
		story string
		a, b  simulated
		o     Options
		least int
	}{
		{"10 % less", simulated{repeats: 5, noise: 0.01}, simulated{repeats: 5, noise: 0.01, rate: 0.9}, Options{Threshold: 0.03}, 18},
		{"10 % less, one search a side, noise known", simulated{repeats: 1, noise: 0.005},
			simulated{repeats: 1, noise: 0.005, rate: 0.85}, Options{Noise: 0.01, Threshold: 0.03}, 18},
	} {
		_, closed := searchCounts(t, times, c.a, c.b, 0.005, c.o)
		if closed < c.least {
			t.Errorf("%s: the gate closed in %d of %d, want %d", c.story, closed, times, c.least)
		}
	}
}

// searchedInputs are two runs without noise, of which edit changes B.
func searchedInputs(repeats int, edit func(*record.Search)) (a, b Input) {
	rng := rand.New(rand.NewPCG(1, 1))
	a, b = Input{"A", searchRun(rng, "A", simulated{repeats: repeats}, 0.005)},
		Input{"B", searchRun(rng, "B", simulated{repeats: repeats}, 0.005)}
	d := byLabel(b.Result, "builtin:xdp")
	for i := range d.Searches {
		edit(&d.Searches[i])
	}
	return a, b
}

func TestWhatSearchesFoundIsCompared(t *testing.T) {
	for _, c := range []struct {
		story   string
		edit    func(*record.Search)
		m       Metric
		where   string
		verdict Verdict
		why     string
	}{
		{"the same", func(*record.Search) {}, NDR, "uplink search ndr", CannotTell, ""},
		{"half of it", func(s *record.Search) { scaleGoal(s, 0, 0.5) }, NDR, "uplink search ndr", Worse, ""},
		{"twice the partial drop rate", func(s *record.Search) { scaleGoal(s, 1, 2) }, PDR, "uplink search pdr", Better, ""},
		{"half of it, for the link", func(s *record.Search) { scaleGoal(s, 0, 0.5); s.Goals[0].LimitedBy = "link" },
			NDR, "uplink search ndr", CannotTell, "B was limited by link"},
		{"twice, and at least so", func(s *record.Search) {
			scaleGoal(s, 0, 2)
			s.Goals[0].Valid, s.Goals[0].ReasonCodes = false, []string{"bench_limit"}
		}, NDR, "uplink search ndr", Better, ""},
		{"not valid", func(s *record.Search) { s.Goals[0].Valid = false; s.Goals[0].Reasons = []string{"unstable"} },
			NDR, "uplink search ndr", CannotTell, "B has no valid figure"},
	} {
		a, b := searchedInputs(5, c.edit)
		made := compared(t, a, b, Options{Threshold: 0.03})
		f := figure(t, made, c.m, c.where)
		if f.Verdict != c.verdict || !strings.Contains(f.Why, c.why) {
			t.Errorf("%s: %s, %q; want %s, %q", c.story, f.Verdict, f.Why, c.verdict, c.why)
		}
	}
}

func scaleGoal(s *record.Search, i int, factor float64) {
	s.Goals[i].LowerPPS, s.Goals[i].UpperPPS = s.Goals[i].LowerPPS*factor, s.Goals[i].UpperPPS*factor
}

// TestIntervalIsNeverNarrowerThanTheBounds: equal values do not make a search
// exact.
func TestIntervalIsNeverNarrowerThanTheBounds(t *testing.T) {
	a, b := searchedInputs(5, func(*record.Search) {})
	for _, in := range []Input{a, b} {
		for i := range in.Result.DUTs {
			for j := range in.Result.DUTs[i].Searches {
				g := &in.Result.DUTs[i].Searches[j].Goals[0]
				g.LowerPPS, g.UpperPPS = 1e6, 1e6/(1-0.02)
			}
		}
	}
	b.Result.DUTs[1].Searches[0].Goals[0].LowerPPS *= 1.001 // not all equal
	f := figure(t, compared(t, a, b, Options{Raw: true}), NDR, "uplink search ndr")
	if i := f.Change().Interval; i == nil || i.Lo > -0.0199 || i.Hi < 0.0199 {
		t.Errorf("interval %+v of bounds 2 %% from each other", i)
	}
}

func TestBurstsAreCompared(t *testing.T) {
	burst := func(average float64) func(*record.Search) {
		return func(s *record.Search) {
			s.Method, s.LimitedBy, s.Goals, s.Bursts = "back_to_back", "dut", nil, &record.Bursts{Average: average, StdDev: 1}
		}
	}
	a, b := searchedInputs(3, burst(100))
	for i := range a.Result.DUTs[1].Searches {
		burst(200)(&a.Result.DUTs[1].Searches[i])
	}
	f := figure(t, compared(t, a, b, Options{}), Burst, "uplink search back-to-back")
	if f.Verdict != Worse || f.A.Median != 200 || f.B.Median != 100 {
		t.Errorf("%+v", f)
	}
}

// TestSharesOfARateAreTheSameLoad: they are another rate in each run.
func TestSharesOfARateAreTheSameLoad(t *testing.T) {
	a, b := two()
	at := func(in Input, pps float64) {
		for i := range in.Result.DUTs {
			d := &in.Result.DUTs[i]
			load := "50 % of NDR"
			if d.Reference {
				load = "50 % of NDR of builtin:xdp"
			}
			for repeat := 1; repeat <= 5; repeat++ {
				d.Trials = append(d.Trials,
					record.Trial{
						Kind: record.KindLatency, Direction: "uplink", Load: loadAt(load, pps*float64(100+repeat)),
						Repeat: repeat, PacketSize: record.PacketSize{PayloadBytes: 1400}, Sessions: 1,
						Judgement: record.Judgement{Valid: true},
						Traffic:   record.Traffic{Latency: &record.Latency{P50: 1000 + uint64(repeat), P99: 2000, Count: 1000}},
					})
			}
		}
	}
	at(a, 1000)
	at(b, 900)
	c := compared(t, a, b, Options{})
	f := figure(t, c, P50, "uplink latency 50 % of NDR")
	if f.A.N != 5 || f.B.N != 5 || f.Basis != BasisWire || !f.ByWire.Known || math.Abs(f.ByWire.Value) > 1e-9 {
		t.Errorf("%+v", f)
	}
	if slices.ContainsFunc(c.LeftOut, func(s string) bool { return strings.Contains(s, "50 % of NDR") }) {
		t.Errorf("left out: %q", c.LeftOut)
	}
}

// TestSoaksAtAShareAreTheSameLoad, whatever the rate was that they had a share of.
func TestSoaksAtAShareAreTheSameLoad(t *testing.T) {
	a, b := two()
	soak := func(in Input, pps, loss float64) {
		d := byLabel(in.Result, "builtin:xdp")
		for repeat := 1; repeat <= 5; repeat++ {
			d.Trials = append(d.Trials,
				record.Trial{
					Kind: record.KindLoad, Direction: "uplink",
					Load: record.Load{Kind: record.LoadSoak, PPS: pps + float64(repeat), Share: 0.5}, Repeat: repeat,
					PacketSize: record.PacketSize{PayloadBytes: 1400}, Sessions: 1,
					Judgement: record.Judgement{Valid: true, LimitedBy: "dut"},
					Traffic:   record.Traffic{FrameLossRatio: loss}, Soak: &record.Soak{Share: 0.5},
				})
		}
	}
	soak(a, 1e6, 0.001)
	soak(b, 9e5, 0.02)
	c := compared(t, a, b, Options{Raw: true})
	if f := figure(t, c, FrameLoss, "uplink 50 % soak"); f.A.N != 5 || f.B.N != 5 {
		t.Errorf("%+v", f)
	}
}

// TestTrialsOfOneVisitAreOneValue: twenty latency trials in a row show how steady a
// visit was, and nothing of the next one.
func TestTrialsOfOneVisitAreOneValue(t *testing.T) {
	a, b := two()
	many := func(in Input, p50 uint64) {
		d := byLabel(in.Result, "builtin:xdp")
		for n := range uint64(20) {
			d.Trials = append(d.Trials,
				record.Trial{
					Kind: record.KindLatency, Direction: "uplink",
					Load: record.Load{Kind: record.LoadShare, PPS: 1e6, Share: 1, Of: record.GoalThroughput}, Repeat: 1,
					PacketSize: record.PacketSize{PayloadBytes: 1400}, Sessions: 1, Judgement: record.Judgement{Valid: true},
					Traffic: record.Traffic{Latency: &record.Latency{P50: p50 + n, P99: 2 * p50, Count: 1000}},
				})
		}
	}
	many(a, 1000)
	many(b, 2000)
	f := figure(t, compared(t, a, b, Options{Raw: true}), P50, "uplink latency 100 % of throughput")
	if f.A.N != 1 || f.B.N != 1 || f.Verdict != CannotTell {
		t.Errorf("%+v", f)
	}
}

// TestRatesOfTwoStandardsAreKeptApart: TST 009 makes a lossy trial again.
func TestRatesOfTwoStandardsAreKeptApart(t *testing.T) {
	a, b := two()
	for _, in := range []Input{a, b} {
		d := byLabel(in.Result, "builtin:xdp")
		for repeat := 1; repeat <= 5; repeat++ {
			for method, pps := range map[record.Method]float64{"binary": 1e6, "binary_loss_verification": 2e6} {
				d.Searches = append(d.Searches,
					record.Search{
						Method: method, Direction: "uplink", Repeat: repeat, PacketSize: record.PacketSize{PayloadBytes: 1400},
						Sessions: 1, Judgement: record.Judgement{Valid: true},
						Goals: []record.SearchGoal{{Name: "throughput", LowerPPS: pps, UpperPPS: pps + 100,
							Judgement: record.Judgement{LimitedBy: "dut", Valid: true}}},
					})
			}
		}
	}
	c := compared(t, a, b, Options{Raw: true})
	for where, pps := range map[string]float64{"uplink search throughput": 1e6, "uplink search throughput (TST 009)": 2e6} {
		if f := figure(t, c, Throughput, where); f.A.N != 5 || f.A.Median != pps {
			t.Errorf("%s: %+v", where, f.A)
		}
	}
}

// loadAt is the load of that text with the rate that it came to.
func loadAt(text string, pps float64) (l record.Load) {
	if err := l.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	l.PPS = pps
	return l
}
