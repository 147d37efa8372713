package threshold

import (
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestAtTheLimitNothingIsSaid: a UPF that is at the limit, with 5 % of scatter, passes in 5 % of
// the runs at most, and fails in as many, however many repeats there are; of one that is 15 %
// better or worse five repeats say so.
func TestAtTheLimitNothingIsSaid(t *testing.T) {
	const times = 2000
	one, err := Parse("rx_pps >= 1M @ max")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 9))
	counted := func(rate float64, repeats int) (n map[record.Outcome]int) {
		n = map[record.Outcome]int{}
		for range times {
			d := record.DUT{Name: "upf", Status: record.StatusOK}
			for repeat := range repeats {
				d.Trials = append(d.Trials, trialOf("uplink", 0, repeat+1, rate*(1+0.05*rng.NormFloat64()), 1000))
			}
			n[one.Check(&record.Result{DUTs: []record.DUT{d}})[0].Outcome]++
		}
		return n
	}
	for _, repeats := range []int{1, 2, 3, 4, 5, 7, 10} {
		n := counted(1e6, repeats)
		t.Logf("%d repeats at the limit: %.1f %% pass, %.1f %% fail", repeats,
			100*float64(n[record.OutcomePass])/times, 100*float64(n[record.OutcomeFail])/times)
		if n[record.OutcomePass] > times*5/100 || n[record.OutcomeFail] > times*5/100 {
			t.Errorf("%d repeats at the limit: %v", repeats, n)
		}
	}
	for rate, want := range map[float64]record.Outcome{1.15e6: record.OutcomePass, 0.85e6: record.OutcomeFail} {
		if n := counted(rate, 5); n[want] < times*95/100 {
			t.Errorf("five repeats at %g: %v", rate, n)
		}
		if n := counted(rate, 1); n[want] < times*8/10 {
			t.Errorf("one repeat at %g: %v", rate, n)
		}
	}
}

// TestGuardOfOneRepeat: one repeat decides outside of the guard band of its figure; counts and
// rates that were carried whole have none.
func TestGuardOfOneRepeat(t *testing.T) {
	r := sample()
	for i := range r.DUTs {
		r.DUTs[i].Trials = r.DUTs[i].Trials[2:4] // of the second repeat
	}
	for text, want := range map[string]string{
		"rx_pps >= 1.7M @ eupf max": "eupf:native uplink max pass",
		"rx_pps >= 1.9M @ eupf max": "eupf:native uplink max cannot tell it is less than 10 % from the " +
			"limit, by which one repeat may be off: use five",
		"rx_pps >= 2.1M @ eupf max": "eupf:native uplink max cannot tell it is less than 10 % from the " +
			"limit, by which one repeat may be off: use five",
		"rx_pps >= 2.3M @ eupf max": "eupf:native uplink max fail",
		"latency.p99 < 60us @ eupf 500k": "eupf:native uplink 500k cannot tell it is less than 50 % from the " +
			"limit, by which one repeat may be off: use five",
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
