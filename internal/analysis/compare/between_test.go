package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/record"
)

// TestMachineThatDiffersFromItself: two runs of one UPF on a machine that makes it faster or slower from run to
// run, whatever wire does. At most 5 % of comparisons find any difference, or close a gate of 3 %: where the
// scatter is assumed, and where eight runs of an unchanged UPF have measured it. A UPF that is slower by much
// more is found.
func TestMachineThatDiffersFromItself(t *testing.T) {
	times := 60
	if testing.Short() {
		times = 20
	}
	rng := rand.New(rand.NewPCG(21, 4))
	differ, closed, all := 0, 0, 0
	for _, runs := range []float64{0, 0.02, 0.05, 0.077} {
		for _, calibrated := range []bool{false, true} {
			s := simulated{repeats: 5, noise: 0.01, runs: runs}
			found, shut := 0, 0
			for range times {
				c := compareTwo(t, rng, s, s, calibrated)
				found += one(len(verdicts(c)) > 0)
				shut += one(len(c.Gate.Worse) > 0)
			}
			t.Logf("%.1f %% from run to run, measured %v: %d of %d differ, %d close a gate of 3 %%", 100*runs, calibrated, found, times, shut)
			// At 5 % the chance of more is below 1 %.
			if most := times/20 + times/12; found > most || shut > most {
				t.Errorf("%.1f %% from run to run, measured %v: %d of %d differ, %d close the gate", 100*runs, calibrated, found, times, shut)
			}
			differ, closed, all = differ+found, closed+shut, all+times
		}
	}
	if differ > all/20 || closed > all/20 {
		t.Errorf("of %d comparisons %d differ, %d close the gate", all, differ, closed)
	}
	for _, c := range []struct {
		runs, rate float64
		calibrated bool
	}{{0.01, 0.85, true}, {0.05, 0.5, true}, {0.05, 0.5, false}} {
		s := simulated{repeats: 5, noise: 0.01, runs: c.runs}
		slower, found := s, 0
		slower.rate = c.rate
		for range times {
			found += one(len(compareTwo(t, rng, s, slower, c.calibrated).Gate.Worse) > 0)
		}
		if found < times*8/10 {
			t.Errorf("%+v: found in %d of %d", c, found, times)
		}
	}
}

func compareTwo(t *testing.T, rng *rand.Rand, a, b simulated, calibrated bool) *Comparison {
	t.Helper()
	one, other := a.run(rng, "aaaa"), b.run(rng, "bbbb")
	one.Calibration, other.Calibration = nil, nil
	if calibrated {
		single, list := a, []between.Run{}
		single.repeats = 1
		for range 8 {
			list = append(list, between.Read(single.run(rng, "placebo")))
		}
		other.Calibration = between.Calibration(other.Host.Fingerprint(), "builtin:xdp", nil, list)
	}
	c, err := Compare(Input{"A", one}, Input{"B", other}, Options{Threshold: 0.03})
	if err != nil {
		t.Fatal(err)
	}
	if c.Between == nil || c.Between.Assumed == calibrated {
		t.Fatalf("between runs: %+v", c.Between)
	}
	return c
}

// TestCalibrationOfAnotherMachine: what one machine was calibrated to says nothing of another.
func TestCalibrationOfAnotherMachine(t *testing.T) {
	a, b := two()
	if c := compared(t, a, b, Options{}); c.Between == nil || c.Between.Assumed {
		t.Errorf("one machine: %+v", c.Between)
	}
	b.Result.Host.Kernel = "6.1.0"
	if c := compared(t, a, b, Options{}); c.Between == nil || !c.Between.Assumed {
		t.Errorf("two machines: %+v", c.Between)
	}
	for _, o := range []Options{{Noise: 0.02}} {
		if c := compared(t, a, b, o); c.Between != nil {
			t.Errorf("the user says it, and it is %+v", c.Between)
		}
	}
	var none *record.Calibration
	if calibrationOf(&record.Result{Calibration: steady}, &record.Result{Calibration: none}) != steady {
		t.Error("one of two results has a calibration")
	}
}
