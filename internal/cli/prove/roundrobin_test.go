package prove

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/record"
)

// TestMeasured: a run of a laboratory counts where a UPF has something that is valid.
func TestMeasured(t *testing.T) {
	valid := record.Judgement{Valid: true}
	for _, c := range []struct {
		story string
		dut   record.DUT
		want  bool
	}{
		{"a trial", record.DUT{Trials: []record.Trial{{}, {Judgement: valid}}}, true},
		{"of wire alone", record.DUT{Reference: true, Trials: []record.Trial{{Judgement: valid}}, Instructions: []record.Instructions{{Valid: true}}}, false},
		{"instructions", record.DUT{Instructions: []record.Instructions{{Valid: true}}}, true},
		{"of a UPF that polls", record.DUT{Instructions: []record.Instructions{{}}}, false},
	} {
		if got := measured(&record.Result{DUTs: []record.DUT{c.dut}}); got != c.want {
			t.Errorf("%s: %v", c.story, got)
		}
	}
}

// TestOfLaboratory: what a laboratory may say of itself, and what belongs to the protocol.
func TestOfLaboratory(t *testing.T) {
	for _, c := range []struct{ arguments, says string }{
		{"", ""},
		{"--set cpu.dut=3 --set=link=physical --site vm --set vm.kernel=6.12 --quiet", ""},
		{"--set payload=64", "payload is part of the protocol"},
		{"--set=repeats=3", "repeats is part of the protocol"},
		{"--set cpu.dut=3 quick", "quick is not for laboratories"},
		{"--precision 2%", "--precision is not for laboratories"},
		{"--dut builtin:tun", "--dut is not for laboratories"},
		{"--set", "--set has no value"},
	} {
		err := ofLaboratory(strings.Fields(c.arguments))
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%q: %v, want %q", c.arguments, err, c.says)
		}
	}
}

// TestMeasurable: what calibrate and a round robin do not measure is said before the first run.
func TestMeasurable(t *testing.T) {
	s, err := inputs.OpenScenario("quick", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ duts, says string }{
		{"builtin:xdp builtin:tun", ""},
		{"wire", "--dut wire is no UPF"},
		{"external", "--dut external is no UPF"},
		{"nosuch", "no such DUT"},
		{"builtin:xdp builtin:xdp", "given twice"},
	} {
		err := measurable(strings.Fields(c.duts), s)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%q: %v, want %q", c.duts, err, c.says)
		}
	}
}

// TestCalibrateRefuses: wrong use is told before anything runs.
func TestCalibrateRefuses(t *testing.T) {
	for _, c := range []struct {
		f    calibrateFlags
		says string
	}{
		{calibrateFlags{runs: 0, dut: "builtin"}, "--runs 0"},
		{calibrateFlags{runs: 1, dut: "wire"}, "no UPF"},
		{calibrateFlags{runs: 1, dut: "builtin", set: []string{"payload=64"}}, "of the bench"},
		{calibrateFlags{runs: 1, dut: "builtin", set: []string{"engine=nosuch"}}, "engine takes one of"},
	} {
		if err := c.f.check(newCalibrate()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.f, err, c.says)
		}
	}
}
