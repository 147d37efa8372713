package search

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func allMet() Conditions {
	return Conditions{
		FrameSizes: []int{128, 256, 512, 1024, 1280, 1518}, Residual: 2 * time.Second, Restabilise: 5 * time.Second, LineRate: true,
	}
}

// A result has the standard's name only when nothing is missing.
func TestStandardOfRates(t *testing.T) {
	for _, c := range []struct {
		name    string
		run     func(t *testing.T, v *device) (Report, error)
		want    Standard
		missing string // a part of it
	}{
		{"preset rfc2544", func(t *testing.T, v *device) (Report, error) {
			m := preset(t, RFC2544, v)
			m.Conditions = allMet()
			return m.Run(t.Context(), v.trial)
		}, StandardThroughput, ""},
		{"preset rfc2544 in a hurry", func(t *testing.T, v *device) (Report, error) {
			m := preset(t, RFC2544, v)
			m.Conditions = allMet()
			m.Goals[0].FinalTrialDuration = 10 * time.Second
			return m.Run(t.Context(), v.trial)
		}, "", "final trials of 10s"},
		{"no pauses", func(t *testing.T, v *device) (Report, error) {
			m := preset(t, RFC2544, v)
			m.Conditions = allMet()
			m.Conditions.Restabilise = time.Second
			return m.Run(t.Context(), v.trial)
		}, "", "1s of pause"},
		{"preset csit", func(t *testing.T, v *device) (Report, error) {
			return preset(t, CSIT, v).Run(t.Context(), v.trial)
		}, StandardMLRsearch, ""},
		{"binary search", func(t *testing.T, v *device) (Report, error) {
			c := throughput(v)
			c.Conditions = allMet()
			return c.Run(t.Context(), v.trial)
		}, StandardThroughput, ""},
		{"one frame size", func(t *testing.T, v *device) (Report, error) {
			c := throughput(v)
			c.Conditions = allMet()
			c.Conditions.FrameSizes = []int{1518}
			return c.Run(t.Context(), v.trial)
		}, "", "1 of the frame sizes"},
		{"some loss allowed", func(t *testing.T, v *device) (Report, error) {
			c := throughput(v)
			c.Conditions, c.LossRatio = allMet(), 0.001
			return c.Run(t.Context(), v.trial)
		}, "", "loss ratio 0.001"},
		{"loss verification", func(t *testing.T, v *device) (Report, error) {
			c := throughput(v)
			c.Conditions, c.Verification.Trials = allMet(), 3
			return c.Run(t.Context(), v.trial)
		}, StandardTST009, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := c.run(t, &device{Capacity: 500_500})
			if err != nil {
				t.Fatal(err)
			}
			name, missing := r.Standard()
			if name != string(c.want) || (name == "") == (len(missing) == 0) {
				t.Errorf("%q, missing %q", name, missing)
			}
			if !slices.ContainsFunc(append(missing, ""), func(m string) bool { return strings.Contains(m, c.missing) }) {
				t.Errorf("missing %q, not %q", missing, c.missing)
			}
		})
	}
}

func TestStandardOfCurveAndBursts(t *testing.T) {
	v := device{Capacity: 650e3}
	curve, _ := LossCurve{MaxPPS: 1e6, Step: 0.1, Duration: time.Minute, Conditions: allMet()}.Run(t.Context(), v.trial)
	if name, missing := curve.Standard(); name != string(StandardLossRate) {
		t.Errorf("curve: %q, missing %q", name, missing)
	}
	curve, _ = LossCurve{MaxPPS: 1e6, Step: 0.2, Duration: time.Second}.Run(t.Context(), v.trial)
	if name, missing := curve.Standard(); name != "" || len(missing) != 6 {
		t.Errorf("hasty curve: %q, missing %q", name, missing)
	}
	q := &tail{queue: 64, service: 80e3, arriving: 1e6}
	b := bursts(q)
	b.MaxPackets, b.Conditions = 31e6, allMet()
	r, _ := b.Run(t.Context(), q.burst)
	if name, missing := r.Standard(); name != string(StandardBackToBack) {
		t.Errorf("bursts: %q, missing %q", name, missing)
	}
	b.Searches, b.MaxPackets, b.Conditions = 1, 1000, Conditions{}
	r, _ = b.Run(t.Context(), q.burst)
	if name, missing := r.Standard(); name != "" || len(missing) != 5 {
		t.Errorf("hasty bursts: %q, missing %q", name, missing)
	}
	var none Report
	if name, missing := none.Standard(); name != "" || len(missing) == 0 {
		t.Errorf("nothing: %q, missing %q", name, missing)
	}
}
