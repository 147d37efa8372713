package matrix

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// TestCampaignOfCases: a campaign can be of behaviour cases, and its jobs carry their kind and cases.
func TestCampaignOfCases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	write(t, path, "campaign: c\nscenario: behaviour\nset: [\"cases=far.drop\"]\nmatrix:\n  dut: [builtin:xdp, builtin:tun]\n")
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := f.Plan("v1")
	if err != nil || len(plan.Jobs) != 2 {
		t.Fatalf("%d jobs, %v", len(plan.Jobs), err)
	}
	s, err := scenario.OpenText([]byte(plan.Jobs[0].Scenario), "job", nil, false)
	if err != nil || s.Kind != scenario.KindBehaviour || len(s.Cases) != 1 || s.Sessions != 512 {
		t.Errorf("a job's scenario: kind %s, cases %v, %d sessions, %v", s.Kind, s.Cases, s.Sessions, err)
	}
	write(t, path, "campaign: c\nscenario: behaviour\nset: [\"cases=far.dorp\"]\nmatrix:\n  dut: [builtin:xdp]\n")
	if f, err = Read(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Plan("v1"); err == nil || !strings.Contains(err.Error(), "far.dorp") {
		t.Errorf("a case that does not exist: %v", err)
	}
}

// TestScenarioInCapitals: a campaign names its scenario's file as `upflab run` does.
func TestScenarioInCapitals(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "MINE.YAML"), "loads: [100k]\n")
	write(t, filepath.Join(dir, "c.yaml"), "campaign: c\nscenario: MINE.YAML\nmatrix:\n  dut: [builtin:xdp]\n")
	f, err := Read(filepath.Join(dir, "c.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if plan, err := f.Plan("v1"); err != nil || len(plan.Jobs) != 1 {
		t.Errorf("%d jobs, %v", len(plan.Jobs), err)
	}
}
