package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// TestEveryScenario runs each built-in scenario with shorter trials, whatever this
// machine loses in them: there is a whole result, with what the scenario is for.
func TestEveryScenario(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	shorter := map[string][]string{
		"soak":         {"loads=20k,max", "sizes=frame:128,imix"},
		"ndr":          {"search.budget=4s", "search.min=1k"},
		"rfc2544":      {"sizes=frame:1518", "search.duration=100ms", "search.step=100000"},
		"back-to-back": {"search.duration=100ms", "search.step=100000"},
		"loss-curve":   {"search.duration=100ms"},
		"load-latency": {"loads=20k,max"},
		"sizes":        {"sizes=frame:128,imix"},
		"scale":        {"sessions=200", "loads=20k"},
		"families":     {"families=ipv4,ipv6", "loads=20k", "repeats=1"},
	}
	ofFlows := []string{"cni-matrix", "ue-isolation"}
	elsewhere := []string{"control-plane", "ue-evaluation", "ue-handover", "ue-throughput", // TestControlPlane; TestFlows, but for their flows
		"quick", "stress", // most tests; TestStress
		"instructions",                                                              // TestInstructions, TestInstructionsRefused: it boots a guest
		"behaviour", "attack", "qos-accuracy", "telemetry", "interop", "resilience"} // TestBehaviour, TestAttack, TestQoSAccuracy, TestInterop, TestResilience
	entries, err := scenario.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name
		if slices.Contains(elsewhere, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "result")
			settings := append([]string{"duration=300ms", "latency.duration=300ms", "directions=uplink"}, shorter[name]...)
			duts := 2 // wire and builtin
			if slices.Contains(ofFlows, name) {
				duts, settings = 3, []string{"flows=ping", "links=veth", "repeats=1"} // n6, decap and builtin
			}
			upflab(t, scenarioWith(name, dir, settings)).finishes(0, 3, 4)
			r := load(t, dir)
			checkFiles(t, dir, r)
			if !r.Complete || len(r.DUTs) != duts {
				t.Fatalf("complete %v, %d DUTs", r.Complete, len(r.DUTs))
			}
			checkPurpose(t, name, r.DUTs[duts-1])
		})
	}
}

// scenarioWith is the command line of a run of a scenario with settings into dir. Trials
// are not made longer for what disturbs the machine: they are judged elsewhere.
func scenarioWith(name, dir string, settings []string) []string {
	args := []string{"run", name, "--out", dir, "--set", "disturbed=keep", "--set", "attempts=1"}
	for _, set := range settings {
		args = append(args, "--set", set)
	}
	return args
}

func checkPurpose(t *testing.T, name string, d record.DUT) {
	t.Helper()
	methods, soaks := map[record.Method]bool{}, 0
	for _, s := range d.Searches {
		methods[s.Method] = true
	}
	for _, trial := range d.Trials {
		if trial.Soak != nil {
			soaks++
		}
	}
	want := map[string][]record.Method{
		"ndr": {"mlrsearch"}, "rfc2544": {"binary", "loss_curve", "back_to_back"},
		"loss-curve": {"loss_curve"}, "back-to-back": {"back_to_back"},
	}
	for _, method := range want[name] {
		if !methods[method] {
			t.Errorf("no search by %s, only %v", method, methods)
		}
	}
	if name == "soak" && soaks != 4 {
		t.Errorf("%d soaks, want 4: two loads of two sizes", soaks)
	}
	if len(d.Trials)+len(d.Flows) == 0 {
		t.Error("neither trials nor flows")
	}
}
