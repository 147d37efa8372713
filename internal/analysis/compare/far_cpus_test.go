package compare

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestApart: a host that moves the CPUs apart while one of two UPFs is measured, which
// halves its rate, decides nothing, and the pairs are named.
func TestApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	r := simulated{repeats: 6, noise: 0.01}.run(rng, "aaaa")
	again := simulated{repeats: 6, noise: 0.01}.run(rng, "aaaa").DUTs[1]
	again.Name = "other"
	r.DUTs = append(r.DUTs, again)
	near, far := 80.0, 400.0
	for d := range r.DUTs {
		for i := range r.DUTs[d].Trials {
			trial := &r.DUTs[d].Trials[i]
			trial.Evidence = &record.Evidence{LineNS: &near}
			if d == 2 && trial.Repeat%3 == 0 {
				trial.Evidence.LineNS = &far
				trial.RxPPS /= 2
			}
		}
	}
	c, err := Compare(Input{"A", r}, Input{"B", r}, Options{DUT: "builtin", Against: "other", Metrics: []Metric{RxPPS}})
	if err != nil {
		t.Fatal(err)
	}
	if found := verdicts(c); len(found) != 0 {
		t.Errorf("%d figures differ, the first %+v", len(found), found[0])
	}
	if text := strings.Join(c.LeftOut, "\n"); !strings.Contains(text,
		"uplink max, repeat 3: the host had the CPUs") || !strings.Contains(text, "80 ns there and back in A, 400 in B") {
		t.Errorf("left out: %s", text)
	}
	for _, f := range c.figures(func(p Pair) bool { return !p.Reference() }) {
		if f.Metric == RxPPS && f.Load == "max" && f.Paired.N != 4 {
			t.Errorf("%s %s: %d pairs, want 4", f.Direction, f.Load, f.Paired.N)
		}
	}
}
