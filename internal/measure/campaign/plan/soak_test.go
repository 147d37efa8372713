package plan

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// TestSoakPlan: before a soak only what is needed to find its load is tried.
func TestSoakPlan(t *testing.T) {
	s, err := scenario.Get("soak")
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Scenario: s}
	for _, spec := range p.Specs(1) {
		if !spec.Load.Max() || spec.Duration != SoakFinding || spec.Soak != nil {
			t.Errorf("%+v", spec)
		}
	}
	s.Loads = []record.Load{{PPS: 1000}}
	if list := p.Specs(1); len(list) != 0 {
		t.Errorf("for a load that is given: %+v", list)
	}
}
