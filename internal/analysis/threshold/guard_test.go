package threshold

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/record"
)

// TestAtTheLimitNothingIsSaid: a UPF that is at the limit, with 5 % of scatter from repeat to repeat and 0 to 8 %
// from run to run, passes in 5 % of the runs at most, and fails in as many, however many repeats there
// are. So it is where the scatter from run to run is assumed, and where eight runs of an unchanged device have
// measured it; then five repeats see what is further from the limit.
func TestAtTheLimitNothingIsSaid(t *testing.T) {
	const times, within = 1000, 0.05
	one, err := Parse("rx_pps >= 1M @ max")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 9))
	counted := func(rate, runs float64, repeats int, calibrated bool) (n map[record.Outcome]int) {
		n = map[record.Outcome]int{}
		for range times {
			r := &record.Result{}
			if calibrated {
				r.Calibration = placebo(rng, runs, within)
			}
			d, ofRun := record.DUT{Name: "upf", Status: record.StatusOK}, 1+runs*rng.NormFloat64()
			for repeat := range repeats {
				d.Trials = append(d.Trials, trialOf("uplink", 0, repeat+1, rate*ofRun*(1+within*rng.NormFloat64()), 1000))
			}
			r.DUTs = []record.DUT{d}
			n[one.Check(r)[0].Outcome]++
		}
		return n
	}
	for _, runs := range []float64{0.02, 0.077} {
		for _, calibrated := range []bool{false, true} {
			for _, repeats := range []int{1, 3, 10} {
				n := counted(1e6, runs, repeats, calibrated)
				t.Logf("%.1f %% between runs, measured %v, %d repeats at the limit: %.1f %% pass, %.1f %% fail", 100*runs, calibrated, repeats,
					100*float64(n[record.OutcomePass])/times, 100*float64(n[record.OutcomeFail])/times)
				// 5 %, and two standard errors of a share of 1000
				if n[record.OutcomePass] > times*64/1000 || n[record.OutcomeFail] > times*64/1000 {
					t.Errorf("%.1f %% between runs, measured %v, %d repeats at the limit: %v", 100*runs, calibrated, repeats, n)
				}
			}
		}
	}
	for rate, want := range map[float64]record.Outcome{1.25e6: record.OutcomePass, 0.75e6: record.OutcomeFail} {
		if n := counted(rate, 0.02, 5, true); n[want] < times*95/100 {
			t.Errorf("five repeats at %g: %v", rate, n)
		}
		if n := counted(rate, 0.02, 5, false); n[want] < times*95/100 {
			t.Errorf("five repeats at %g, not calibrated: %v", rate, n)
		}
	}
}

// placebo is a calibration of eight runs with one repeat.
func placebo(rng *rand.Rand, runs, within float64) *record.Calibration {
	var list []between.Run
	for range 8 {
		value := 1e6 * (1 + runs*rng.NormFloat64()) * (1 + within*rng.NormFloat64())
		list = append(list, between.Run{Readings: []between.Reading{{Figure: "rx_pps", Place: "uplink max", Value: value}}})
	}
	return between.Calibration("machine", "builtin:xdp", nil, list)
}

// TestGuardOfOneRepeat: one repeat decides outside of what one run may be off by; counts and rates that were
// carried whole have no such band.
func TestGuardOfOneRepeat(t *testing.T) {
	r := sample()
	r.Calibration = nil
	for i := range r.DUTs {
		r.DUTs[i].Trials = r.DUTs[i].Trials[2:4] // of the second repeat
	}
	const rate = "eupf:native uplink max cannot tell %d of 1 repeats keep it, and the interval of their mean contains the limit: " +
		"from run to run a machine may differ from itself by 8 %% (assumed: `sudo upflab calibrate` measures it)"
	const delay = "eupf:native uplink 500k cannot tell 1 of 1 repeats keep it, and the interval of their mean contains the limit: " +
		"from run to run a machine may differ from itself by 25 % (assumed: `sudo upflab calibrate` measures it)"
	for text, want := range map[string]string{
		"rx_pps >= 1.7M @ eupf max":       "eupf:native uplink max pass",
		"rx_pps >= 1.9M @ eupf max":       fmt.Sprintf(rate, 1),
		"rx_pps >= 2.1M @ eupf max":       fmt.Sprintf(rate, 0),
		"rx_pps >= 2.4M @ eupf max":       "eupf:native uplink max fail",
		"latency.p99 < 60us @ eupf 500k":  delay,
		"latency.p99 < 110us @ eupf 500k": "eupf:native uplink 500k pass",
		"wrong == 0 @ eupf max":           "eupf:native uplink max pass",
		"duplicates < 1 @ eupf max":       "eupf:native uplink max pass",
	} {
		if got := outcomes(t, r, text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	carried := &r.DUTs[1].Trials[0]
	carried.LimitedBy = record.LimitNone
	if got, want := outcomes(t, r, "rx_pps >= 490k @ eupf 500k"), "eupf:native uplink 500k pass"; got != want {
		t.Errorf("a rate that was carried whole:\n got %s\nwant %s", got, want)
	}
}
