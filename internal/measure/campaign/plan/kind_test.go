package plan

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/duttest"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

// foreignDUT is a UPF that upflab does not start.
type foreignDUT struct{ duttest.None }

func (foreignDUT) Info() dut.Info { return dut.Info{Name: "external", External: true} }

// TestStepsOfKinds: what a visit is follows from the scenario, and so does what is planned.
func TestStepsOfKinds(t *testing.T) {
	two := []dut.Target{{Driver: duttest.None{Name: "wire"}}, {Driver: duttest.None{Name: "upf"}}}
	for _, c := range []struct {
		name  string
		sets  []string
		steps int // of both DUTs
	}{
		{"quick", []string{"repeats=3"}, 2 * 3 * 4},
		{"ue-throughput", []string{"flows=ping,tcp:uplink", "repeats=1"}, 2 * 2},
		{"control-plane", []string{"repeats=2"}, 2*4 + 1}, // wire's trials, and the study once
		{"behaviour", []string{"cases=far.drop.uplink"}, 2},
		{"attack", []string{"cases=attack.pfcp,attack.gtpu"}, 4},
		{"qos-accuracy", []string{"cases=telemetry.load"}, 2},
		{"resilience", []string{"cases=handover"}, 2 * 2},
		{"quick", []string{"kind=resilience", "cases=upf.killed"}, 2},
		{"instructions", []string{"repeats=2"}, 2 * (2 + 2 + 3)}, // wire has no requests
	} {
		p := &Plan{Scenario: scenariotest.Open(t, c.name, c.sets...), Targets: two}
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := p.Trials(); got != c.steps {
			t.Errorf("%s %v: %d steps, want %d", c.name, c.sets, got, c.steps)
		}
		if o := p.Outline(); o.Takes <= 0 {
			t.Errorf("%s takes %v", c.name, o.Takes)
		}
	}
}

// TestStressTrialsOfReferences: a study measures its first reference once, whatever that is called.
func TestStressTrialsOfReferences(t *testing.T) {
	planned := func(names ...string) int {
		p := &Plan{Scenario: scenariotest.Open(t, "stress", "repeats=3")}
		for _, n := range names {
			p.Targets = append(p.Targets, dut.Target{Driver: duttest.None{Name: n}})
		}
		return p.Trials()
	}
	upf, wire := planned("upf"), planned("wire", "upf")-planned("upf")
	if got := planned("n6", "upf"); wire <= 0 || got != upf+wire {
		t.Errorf("%d trials with n6, want %d of the UPF and %d", got, upf, wire)
	}
}

// TestCheckOfKinds: what cannot be run is found before anything is brought up.
func TestCheckOfKinds(t *testing.T) {
	foreign := []dut.Target{{Driver: foreignDUT{}}}
	for _, c := range []struct {
		name    string
		sets    []string
		targets []dut.Target
		allowed string
		says    string // "": nothing is wrong
	}{
		{"behaviour", []string{"cases=far.dorp"}, nil, "", "far.dorp"},
		{"resilience", []string{"cases=handover.2"}, nil, "", "handover.2"},
		{"attack", nil, foreign, "", "may end it"},
		{"attack", nil, foreign, "upf", "it is not an IP address"},
		{"attack", nil, foreign, "192.0.2.1", "may end it"},
		{"attack", nil, foreign, "192.168.14.151", ""},
		{"behaviour", nil, foreign, "", ""},
		{"instructions", []string{"sizes=imix"}, nil, "", "size imix is a mixture"},
	} {
		p := &Plan{Scenario: scenariotest.Open(t, c.name, c.sets...), Targets: c.targets, MayAttack: c.allowed}
		err := p.Check()
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %v, allowed %q: %v, want %q", c.name, c.sets, c.allowed, err, c.says)
		}
	}
}

// TestForeignUPFsAreSpared: a UPF that upflab did not start gets 1000 inputs or packets/s at most.
func TestForeignUPFsAreSpared(t *testing.T) {
	s := scenariotest.Open(t, "attack", "attack.rate=20000")
	if o := (&Plan{Scenario: s}).attack(); o.PerSecond != 20000 || o.Most != 0 {
		t.Errorf("a UPF of upflab's own: %+v", o)
	}
	if s.N4.UPF != netip.MustParseAddr("192.168.14.151") {
		t.Errorf("N4 of the UPF is %v", s.N4.UPF)
	}
	if o := (&Plan{Scenario: s, Targets: []dut.Target{{Driver: foreignDUT{}}}}).attack(); o.PerSecond != 1000 || o.Most != 1000 {
		t.Errorf("a UPF of somebody else: %+v", o)
	}
}

// TestKindsOfScenarios: cases and incidents do not go with what sends user traffic by itself.
func TestKindsOfScenarios(t *testing.T) {
	for _, set := range []string{"repeats=2", "search.preset=quick", "soak.share=0.5", "stress.arrivals=poisson", "flows=ping"} {
		if _, err := scenario.Open("behaviour", []string{set}, false); err == nil || !strings.Contains(err.Error(), "kind behaviour") {
			t.Errorf("%s: %v", set, err)
		}
	}
	for set, says := range map[string]string{"soak.share=0.5": "one at a time; leave soak.share", "vm.cpus=2": "vm.cpus is 2", "vm.nic=igb": "vm.nic is igb",
		"engine=xdp": "engine is xdp", "cases=far": "a scenario of kind instructions has none", "kind=load": ""} {
		if _, err := scenario.Open("instructions", []string{set}, false); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("instructions with %s: %v, want %q", set, err, says)
		}
	}
	if _, err := scenario.Open("quick", []string{"cases=far"}, false); err == nil || !strings.Contains(err.Error(), "set kind to behaviour") {
		t.Errorf("cases of a load: %v", err)
	}
}
