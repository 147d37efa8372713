package sequential

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// run is a result with so many repeats of a UPF: its rate scatters by 1 %, its latency by 3 %.
func run(repeats int, change func(*record.Trial)) *record.Result {
	rng := rand.New(rand.NewPCG(3, 1))
	r := &record.Result{DUTs: []record.DUT{{Name: "wire", Reference: true, Status: record.StatusOK}, {Name: "builtin", Mode: "xdp", Status: record.StatusOK}},
		Until: &record.Until{Precision: 0.02, Figures: []string{"rx_pps", "latency.p50"}, Repeats: repeats}}
	for n := range repeats {
		rate := 1.47e6 * math.Exp(0.01*rng.NormFloat64())
		p50 := uint64(20000 * math.Exp(0.003*rng.NormFloat64()))
		for _, t := range []record.Trial{
			{Kind: record.KindLoad, Direction: record.Uplink, Traffic: record.Traffic{TxPPS: 3e6, RxPPS: rate}},
			{Kind: record.KindLatency, Direction: record.Uplink, Load: record.Load{PPS: 1000},
				Traffic: record.Traffic{TxPPS: 1000, RxPPS: 1000, Latency: &record.Latency{P50: p50, P99: 2 * p50, Count: 1000}}},
		} {
			t.Repeat, t.Valid, t.LimitedBy = n+1, true, record.LimitDUT
			if change != nil {
				change(&t)
			}
			r.DUTs[1].Trials = append(r.DUTs[1].Trials, t)
		}
	}
	return r
}

// TestLook: a run may end when all its figures are known, and says what it knows in a line.
func TestLook(t *testing.T) {
	r := run(7, nil)
	if ended := Look(r); ended != "" {
		t.Errorf("seven repeats: %s", ended)
	}
	r = run(24, nil)
	r.Until.Ended = Look(r)
	text := Words(r.Until)
	if r.Until.Ended != record.EndedKnown || !strings.HasPrefix(text, "stopped after 24 repeats: 1.47 Mpps is known to ±") ||
		!strings.Contains(text, "the other 1 figure to ±2 % or better") {
		t.Errorf("%q: %s, %+v", r.Until.Ended, text, r.Until.Known)
	}
	if across := Across(r.Until); !strings.Contains(across, "of this run") || !strings.Contains(across, "assumed") {
		t.Errorf("an uncalibrated machine: %q", across)
	}
	for _, k := range r.Until.Known {
		if k.DUT != "builtin:xdp" || k.Repeats != 24 || k.Low == nil || *k.Low > k.Value || *k.High < k.Value || k.Effect < 1 {
			t.Errorf("%+v", k)
		}
	}
	// A latency may be up to 0.78 % less than what is measured.
	if k := r.Until.Known[1]; *k.Within < record.LatencyBucket || *k.Low > k.Value*(1-record.LatencyBucket/2) {
		t.Errorf("%+v has no resolution", k)
	}
}

// TestCalibratedAcross: where runs differ by less than the precision, nothing need be said of them.
func TestCalibratedAcross(t *testing.T) {
	r := run(24, nil)
	r.Calibration = &record.Calibration{Runs: 100, Days: 10, Scatter: []record.Scatter{{Figure: "rx_pps", SD: 0.001, DF: 99, AcrossDays: true}, {Figure: "latency.p50", SD: 0.001, DF: 99, AcrossDays: true}}}
	if Look(r); Across(r.Until) != "" {
		t.Error(Across(r.Until))
	}
	r.Calibration.Scatter[0].SD = 0.05
	if Look(r); !strings.Contains(Across(r.Until), "rx_pps (as upflab calibrate measured)") {
		t.Error(Across(r.Until))
	}
}

// TestWhatCannotBeKnown: a run does not wait for what more repeats cannot give, and says how well it could be known.
func TestWhatCannotBeKnown(t *testing.T) {
	coarse := func(t *record.Trial) {
		if t.Latency != nil {
			t.Latency.P50Step = 1000 // of 20000 ns
		}
	}
	invalid := func(t *record.Trial) { t.Valid = t.Kind == record.KindLoad }
	for _, c := range []struct {
		name    string
		change  func(*record.Trial)
		repeats int
		want    record.Ending
		says    string
	}{
		{"coarse", coarse, 24, record.EndedFutile, "% at best, the resolution"},
		{"invalid", invalid, 24, record.EndedFutile, "no valid repeat has it"},
		{"invalid at first", invalid, 8, "", "no valid repeat has it"},
		{"bounds", func(t *record.Trial) { t.LimitedBy = record.LimitGenerator }, 24, record.EndedKnown, "≥ 1.47 Mpps is known to"},
		{"too few", nil, 3, "", "no interval yet of 3 valid repeats"},
	} {
		r := run(c.repeats, c.change)
		if c.name == "invalid" || c.name == "invalid at first" {
			// what is not valid has no latency of its own, but its place is there
			r.Until.Figures = []string{"latency.p50", "rx_pps"}
		}
		r.Until.Ended = Look(r)
		if text := Words(r.Until); r.Until.Ended != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: %q: %s, want %q with %q", c.name, r.Until.Ended, text, c.want, c.says)
		}
	}
	r := run(3, nil)
	r.DUTs[1].Status = record.StatusFailed
	if ended := Look(r); ended != record.EndedFutile {
		t.Errorf("the only UPF failed: %q", ended)
	}
}

// TestCutShort: trials of a repeat that is not whole are not looked at.
func TestCutShort(t *testing.T) {
	r := run(24, nil)
	r.Until.Repeats = 20
	Look(r)
	if k := r.Until.Known[0]; k.Repeats != 20 {
		t.Errorf("%+v", k)
	}
	if !strings.Contains(Words(r.Until), "stopped after 20 repeats, cut short") {
		t.Error(Words(r.Until))
	}
}

// TestPercents: a change of seven times is 697 %, and none of them 7e+02.
func TestPercents(t *testing.T) {
	for ratio, want := range map[float64]string{6.9669: "+697 %", -0.0312: "-3.1 %", 0.9969: "+100 %", 0.123: "+12 %", 0.03: "+3 %"} {
		if got := signed(ratio); got != want {
			t.Errorf("%v is %s, want %s", ratio, got, want)
		}
	}
}
