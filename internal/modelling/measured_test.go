package modelling

import (
	"testing"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

func TestSafeLoadAsMeasured(t *testing.T) {
	at := func(pps, p99, loss, cores float64) queueing.Point {
		return queueing.Point{LoadPPS: pps, P99NS: p99, LossRatio: loss, CPUCores: cores}
	}
	f := Found{Points: []queueing.Point{
		at(1000, 5000, 0, 0.1), at(2000, 6000, 0, 0.2), at(2000, 6000, 0, 0.2), at(2000, 9e9, 0.5, 0.2), // one of three repeats is off
		at(3000, 50_000, 0, 0.3), at(4000, 5000, 0, 0.4), at(5000, 60_000, 0.2, 0.5),
	}}
	for _, c := range []struct {
		story     string
		target    record.LoadTarget
		pps, high float64
		atLeast   bool
	}{
		{"the first load that breaks it ends it", record.LoadTarget{P99NS: 10_000}, 2000, 3000, false},
		{"of loss alone", record.LoadTarget{LossRatio: 0.001}, 4000, 5000, false},
		{"all loads keep it", record.LoadTarget{P99NS: 1e6, LossRatio: 0.5}, 5000, 5000, true},
		{"none keeps it", record.LoadTarget{P99NS: 1}, 0, 0, false},
	} {
		s := f.measuredSafeLoads([]record.LoadTarget{c.target})[0]
		if s.PPS != c.pps || s.HighPPS != c.high || s.AtLeast != c.atLeast || !s.Measured || s.Why == "" {
			t.Errorf("%s: %+v", c.story, s)
		}
		if s.CPUCores != c.pps/10_000 {
			t.Errorf("%s: %v cores", c.story, s.CPUCores)
		}
	}
}
