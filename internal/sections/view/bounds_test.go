package view

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// A chart of latencies that are bounds says at how many loads, and that models rest on them.
func TestSweepSaysWhatIsABound(t *testing.T) {
	at := func(bounds ...bool) (p SweepPoint) {
		for _, b := range bounds {
			p.Trials = append(p.Trials, &record.Trial{Latency: &record.Latency{Count: 1, UpperBound: b}})
		}
		return p
	}
	s := Sweep{UPF: &UPF{DUT: &record.DUT{}}, Points: []SweepPoint{at(false, false), at(true, false), at(true, true)}}
	if got := s.AtMost(); !strings.HasPrefix(got, "At 1 of 3 loads latency is at most what is shown") || strings.Contains(got, "Models") {
		t.Error(got)
	}
	s.UPF.Models = []record.Model{{}}
	if got := s.AtMost(); !strings.Contains(got, "Models are fitted to it") {
		t.Error(got)
	}
	s.Points = s.Points[:2]
	if got := s.AtMost(); got != "" {
		t.Error(got)
	}
}
