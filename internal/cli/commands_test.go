package cli

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/report/render/text"
	"github.com/upflab/upflab/internal/scenario"
)

func TestVersion(t *testing.T) {
	status, out, _ := typed("version")
	want := regexp.MustCompile(`^upflab \S+ \(commit [0-9a-z+]+, ` + regexp.QuoteMeta(runtime.Version()) + `\)\n$`)
	if status != 0 || !want.MatchString(out) {
		t.Errorf("version: status %d, %q", status, out)
	}
}

func TestVersionAsJSON(t *testing.T) {
	status, out, said := typed("version", "--json")
	var v map[string]string
	if err := json.Unmarshal([]byte(out), &v); err != nil || status != 0 || v["version"] == "" || v["go"] != runtime.Version() {
		t.Errorf("status %d, %v, %q, %q", status, err, out, said)
	}
}

func TestScenarioList(t *testing.T) {
	for _, args := range [][]string{{"scenario", "list"}, {"scenario"}} {
		status, out, _ := typed(args...)
		if status != 0 {
			t.Errorf("%v: status %d", args, status)
		}
		clitest.Golden(t, "scenario-list.txt", out)
	}
}

// TestScenarioShow: what is shown is a scenario file that can be run.
func TestScenarioShow(t *testing.T) {
	entries, err := scenario.List()
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d scenarios, %v", len(entries), err)
	}
	for _, e := range entries {
		status, out, _ := typed("scenario", "show", e.Name)
		path := t.TempDir() + "/shown.yaml"
		if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := inputs.OpenScenario(path, nil, false)
		if status != 0 || err != nil || s.Name != e.Name {
			t.Errorf("show %s: status %d, %v", e.Name, status, err)
		}
	}
	status, out, errors := typed("scenario", "show", "nosuch")
	if status != 2 || out != "" || !strings.Contains(errors, "load-latency") {
		t.Errorf("show nosuch: status %d, %q, %q", status, out, errors)
	}
}

// TestDUTList: every DUT, and where to get those that are not here.
func TestDUTList(t *testing.T) {
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("UPFLAB_EUPF", "")
	status, out, _ := typed("dut", "list")
	if status != 0 {
		t.Errorf("status %d", status)
	}
	table, _, _ := strings.Cut(out, "\nMeasure one")
	for line := range strings.Lines(table) {
		if len([]rune(line)) > text.Width+1 {
			t.Errorf("a row of %d columns: %s", len([]rune(line)), line)
		}
	}
	for _, want := range []string{`(?m)^DUT +MODES +INSTALLED`, `(?m)^builtin +xdp, xdp-generic, afpacket, tun, tap +yes`, `(?m)^wire `,
		`(?m)^eupf +native, generic +no`, `(?m)^external `, `eupf is not installed: .*https://github.com/edgecomllc/eupf.*UPFLAB_EUPF`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("dut list lacks %s:\n%s", want, out)
		}
	}
}

// TestUsage holds what a wrong command line gets.
func TestUsage(t *testing.T) {
	for name, args := range map[string][]string{
		"unknown-flag":     {"run", "--nosuch"},
		"unknown-command":  {"nosuch"},
		"too-many":         {"run", "one", "two"},
		"too-few":          {"report"},
		"flag-needs-value": {"run", "--dut"},
		"unknown-sub":      {"scenario", "nosuch"},
		"missing-config":   {"upf"},
		"no-arguments":     {"version", "please"},
	} {
		status, out, errors := typed(args...)
		if status != 2 || out != "" {
			t.Errorf("%v: status %d, %q", args, status, out)
		}
		clitest.Golden(t, "usage/"+name+".txt", errors)
	}
}
