package search

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"
)

// oracleCase is a search that the authors' own implementation made. See
// testdata/oracle.py.
type oracleCase struct {
	Name  string `json:"name"`
	Goals []struct {
		Name    string  `json:"name"`
		Loss    float64 `json:"loss"`
		Width   float64 `json:"width"`
		Initial float64 `json:"initial"`
		Final   float64 `json:"final"`
		Sum     float64 `json:"sum"`
		Exceed  float64 `json:"exceed"`
	} `json:"goals"`
	Device  device  `json:"device"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Results []struct {
		Lower       *float64 `json:"lower"`
		Upper       *float64 `json:"upper"`
		Conditional *float64 `json:"conditional"`
	} `json:"results"`
	Trials [][4]float64 `json:"trials"` // pps, s, sent, lost
}

func (c oracleCase) search() MLRsearch {
	m := MLRsearch{MinPPS: c.Min, MaxPPS: c.Max}
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, g := range c.Goals {
		m.Goals = append(m.Goals, Goal{
			Name: g.Name, LossRatio: g.Loss, ExceedRatio: g.Exceed, Width: g.Width,
			InitialTrialDuration: seconds(g.Initial), FinalTrialDuration: seconds(g.Final), DurationSum: seconds(g.Sum),
		})
	}
	return m
}

func oracleCases(t *testing.T) []oracleCase {
	data, err := os.ReadFile("testdata/oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []oracleCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// Same device, same goals: the same bounds as the authors find, by the same
// trials.
func TestMLRsearchAgainstTheAuthors(t *testing.T) {
	for _, c := range oracleCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			r, err := c.search().Run(t.Context(), c.Device.trial)
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range r.Goals {
				near(t, g.Goal.Name+" lower bound", pps(g.LowerBound), c.Results[i].Lower)
				near(t, g.Goal.Name+" upper bound", pps(g.UpperBound), c.Results[i].Upper)
				near(t, g.Goal.Name+" conditional throughput", nonZero(g.ConditionalThroughput), c.Results[i].Conditional)
			}
			sameTrials(t, r.Trials, c.Trials)
		})
	}
}

func sameTrials(t *testing.T, got []Record, want [][4]float64) {
	if len(got) != len(want) {
		t.Errorf("%d trials, the authors made %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if math.Abs(g.PPS-w[0]) > 1e-9*w[0] || math.Abs(g.Duration.Seconds()-w[1]) > 1e-3 {
			t.Fatalf("trial %d: %.3f packets/s for %v, the authors: %.3f for %v s", i, g.PPS, g.Duration, w[0], w[1])
		}
		if math.Abs(float64(g.Outcome.Lost)-w[3]) > 1+1e-3*w[3] {
			t.Fatalf("trial %d: the devices differ: %d packets lost here, %.0f there", i, g.Outcome.Lost, w[3])
		}
	}
}

func near(t *testing.T, what string, got, want *float64) {
	t.Helper()
	switch {
	case (got == nil) != (want == nil):
		t.Errorf("%s: %v, the authors: %v", what, text(got), text(want))
	case got != nil && math.Abs(*got-*want) > 1e-6**want: // our durations are whole ms
		t.Errorf("%s: %v, the authors: %v", what, *got, *want)
	}
}

func pps(b *Bound) *float64 {
	if b == nil {
		return nil
	}
	return &b.PPS
}

func nonZero(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

func text(v *float64) any {
	if v == nil {
		return "none"
	}
	return *v
}
