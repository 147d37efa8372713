package between

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// simulated are runs on days, whose figure scatters by so much from day to day and from run to run.
func simulated(rng *rand.Rand, days, aDay int, ofDays, ofRuns float64) (list []Run) {
	for day := range days {
		level := ofDays * rng.NormFloat64()
		for i := range aDay {
			list = append(list, Run{Started: time.Date(2026, 1, 1+day, i, 0, 0, 0, time.UTC),
				Readings: []Reading{{"rx_pps", "uplink max", 1e6 * math.Exp(level+ofRuns*rng.NormFloat64())}}})
		}
	}
	return list
}

// TestIntervalsHold: the interval of one run on another day holds the true level in 93 to 98 %, where the runs
// are of several days; of one day they cannot know what lies between days.
func TestIntervalsHold(t *testing.T) {
	const times = 3000
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct {
		days, aDay     int
		ofDays, ofRuns float64
		least          float64
	}{
		{1, 8, 0, 0.03, 0.935}, {1, 5, 0, 0.08, 0.935}, {2, 4, 0, 0.03, 0.935},
		{5, 3, 0.03, 0.02, 0.93}, {8, 2, 0.05, 0.01, 0.93}, {4, 4, 0, 0.03, 0.935}, {10, 1, 0.03, 0.03, 0.935},
	} {
		held := 0
		f, _ := figure.Of("rx_pps")
		for range times {
			of := Of
			if c.days < 3 { // between runs of one day, which is all that is known
				of = OfDay
			}
			s := of(Calibration("m", "d", nil, simulated(rng, c.days, c.aDay, c.ofDays, c.ofRuns)), f)
			if s.Assumed {
				t.Fatalf("%+v: assumed", c)
			}
			off := c.ofDays*rng.NormFloat64() + c.ofRuns*rng.NormFloat64()
			d := stats.OfRun([]float64{off}, s.Doubt(1))
			if d.Lo <= 0 && d.Hi >= 0 {
				held++
			}
		}
		if part := float64(held) / times; part < c.least || part > 0.985 {
			t.Errorf("%+v: %.1f %% hold", c, 100*part)
		}
	}
}

// TestWhatHasNoScatter: counts are exact, few runs are none, and each figure has one.
func TestWhatHasNoScatter(t *testing.T) {
	few := Calibration("m", "d", nil, simulated(rand.New(rand.NewPCG(1, 1)), 1, LeastRuns-1, 0, 0.01))
	if few != nil {
		t.Errorf("%d runs: %+v", LeastRuns-1, few)
	}
	many := Calibration("m", "d", nil, simulated(rand.New(rand.NewPCG(1, 1)), 1, 8, 0, 0.01))
	for _, f := range figure.All() {
		s := OfDay(many, f)
		if (f.Unit == figure.Count) != (s == Scatter{}) {
			t.Errorf("%s: %+v", f.Name, s)
		}
		if f.Unit == figure.PPS && s.Assumed {
			t.Errorf("%s scatters as rx_pps does, and is assumed", f.Name)
		}
	}
	fair, _ := figure.Of("flow.fairness")
	program, _ := figure.Of("program_ns_per_packet")
	if s := Of(many, fair); s.SD > 0.02 {
		t.Errorf("an index of at most 1 scatters by %v: no limit near 1 could be kept", s.SD)
	}
	cpu := &record.Calibration{Runs: 8, Scatter: []record.Scatter{{Figure: "cpu_ns_per_packet", SD: 0.03, DF: 7}}}
	if s := OfDay(cpu, program); s.Assumed {
		t.Error("the time of the program scatters as CPU time does, and is assumed")
	}
	if Calibration("m", "d", nil, nil) != nil || Estimate(nil) != nil {
		t.Error("nothing has a scatter")
	}
}

// TestDaysOfVersions: where each day has its own build, nothing is known between days.
func TestDaysOfVersions(t *testing.T) {
	runs := simulated(rand.New(rand.NewPCG(2, 2)), 3, 5, 0.05, 0.01)
	for i := range runs {
		runs[i].Version = runs[i].Started.Format(time.DateOnly)
	}
	if s := Estimate(runs); len(s) != 1 || s[0].BetweenDays != nil || s[0].DF != 12 {
		t.Errorf("%+v", s)
	}
}

// TestOldRuns: runs that are older than a calibration gets do not count again because of a new one.
func TestOldRuns(t *testing.T) {
	runs := simulated(rand.New(rand.NewPCG(2, 2)), 3, 5, 0.05, 0.01)
	for i := range 5 {
		runs[i].Started = runs[i].Started.AddDate(0, -4, 0)
	}
	if c := Calibration("machine", "builtin:xdp", nil, runs); c == nil || c.Runs != 10 || c.Days != 2 || c.Last.Sub(c.First) > record.CalibrationLasts {
		t.Errorf("%+v", c)
	}
}

// TestReadings: rates are of loads that are not paced, delays of those that are, and only valid trials of the
// device count.
func TestReadings(t *testing.T) {
	trial := func(pps float64, valid bool) record.Trial {
		return record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: pps}, Repeat: 1,
			Traffic:   record.Traffic{RxPPS: 1e6, Latency: &record.Latency{P50: 1000, P99: 5000, Count: 1000}},
			Judgement: record.Judgement{Valid: valid}}
	}
	r := &record.Result{DUTs: []record.DUT{
		{Name: "wire", Reference: true, Status: record.StatusOK, Trials: []record.Trial{trial(0, true)}},
		{Name: "builtin", Mode: "xdp", Status: record.StatusOK, Trials: []record.Trial{trial(0, true), trial(20e3, true), trial(30e3, false)}},
	}}
	got := map[string]int{}
	for _, v := range Read(r).Readings {
		got[v.Figure]++
	}
	if want := map[string]int{"rx_pps": 1, "latency.p50": 1, "latency.p99": 1}; len(got) != 3 || got["rx_pps"] != 1 || got["latency.p50"] != 1 || got["latency.p99"] != 1 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestDaysAreNotGuessed: runs of one or two days say nothing of what days differ by, which is then no less than it is
// of a machine that was not calibrated. Runs of three days do, and so do those of one a day.
func TestDaysAreNotGuessed(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	f, _ := figure.Of("rx_pps")
	for _, c := range []struct {
		days, aDay int
		assumed    bool
	}{{1, 8, true}, {2, 4, true}, {3, 3, false}, {8, 1, false}} {
		known := Calibration("m", "d", nil, simulated(rng, c.days, c.aDay, 0, 0.01))
		if s := Of(known, f); s.Assumed != c.assumed || s.Assumed && s.SD != SteadyAssumed {
			t.Errorf("%d days: %+v", c.days, s)
		}
		if s := OfDay(known, f); s.Assumed || s.SD > 0.03 {
			t.Errorf("%d days, of runs of one day: %+v", c.days, s)
		}
	}
	if s := Of(Calibration("m", "d", nil, simulated(rng, 1, 20, 0, 0.2)), f); s.Assumed || s.SD < 0.1 {
		t.Errorf("what was measured is more than what is assumed: %+v", s)
	}
}

// TestOfDaysIsNeverSharper: a change between two days counts from no less on than one within a day, whatever
// the runs of one day scattered by and however few they were.
func TestOfDaysIsNeverSharper(t *testing.T) {
	for _, name := range figures() {
		f, _ := figure.Of(name)
		for _, df := range []float64{4, 7, 30} {
			for sd := 0.005; sd < 0.6; sd *= 1.1 {
				c := &record.Calibration{Runs: 8, Days: 1, Scatter: []record.Scatter{{Figure: name, SD: sd, DF: df}}}
				day, days := OfDay(c, f), Of(c, f)
				if stats.Reach(days.SD, days.DF) < stats.Reach(day.SD, day.DF) {
					t.Errorf("%s, %g on %g: of a day %+v, of two days %+v", name, sd, df, day, days)
				}
			}
		}
	}
}

// TestResolution: runs with one reading do not know a machine to 1e-13 %.
func TestResolution(t *testing.T) {
	var runs []Run
	for i := range 8 {
		runs = append(runs, Run{Started: time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC),
			Readings: []Reading{{"rx_pps", "uplink max", 1234567}, {"latency.p50", "uplink 20k", 10111}, {"latency.p99", "uplink 20k", 20111}}})
	}
	c := Calibration("m", "d", nil, runs)
	for name, least := range map[string]float64{"rx_pps": 0.001, "latency.p50": 1.0 / 128, "latency.p99": 1.0 / 128} {
		f, _ := figure.Of(name)
		s := OfDay(c, f)
		if change := math.Sqrt2 * stats.Reach(s.SD, s.DF); s.Assumed || change < least || change > 2*least {
			t.Errorf("%s: the least change is %g, want %g", name, change, least)
		}
	}
}
