package e2e

import (
	"os"
	"strings"
	"testing"
)

// TestRefused holds what a user reads who asks for what cannot be done. It needs
// no privileges: all of it is found out before anything is made.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   []string
	}{
		{"no such DUT", []string{"run", "--dut", "nosuch"}, 2, []string{"--dut nosuch", "there are: builtin, wire, "}},
		{"no such mode", []string{"run", "--dut", "eupf:bad"}, 2, []string{"--dut eupf:bad", "native, generic"}},
		{"a DUT twice", []string{"run", "--dut", "builtin", "--dut", "builtin:xdp"}, 2, []string{"twice", "repeats"}},
		{"wrong unit", []string{"run", "--set", "loads=150x"}, 2, []string{"loads=150x\n", "^", "150k"}},
		{"unknown key", []string{"run", "--set", "load=150k"}, 2, []string{"load", "loads"}},
		{"no such scenario", []string{"run", "nosuch"}, 2, []string{"nosuch", "load-latency"}},
		{"no such file", []string{"run", "./nosuch.yaml"}, 2, []string{"./nosuch.yaml"}},
		{"two scenarios", []string{"run", "quick", "scale"}, 2, []string{"Usage: upflab run"}},
		{"unknown flag", []string{"run", "--nosuch"}, 2, []string{"--nosuch", "upflab run --help"}},
		{"unknown command", []string{"nosuch"}, 2, []string{"nosuch"}},
		{"no result", []string{"report", "/nonexistent"}, 2, []string{"/nonexistent"}},
		{"report of nothing", []string{"report"}, 2, []string{"Usage: upflab report DIR"}},
		{"no command as a UE", []string{"ue", "exec"}, 2, []string{"no command to run as a UE", "upflab ue exec --help"}},
		{"no such command as a UE", []string{"ue", "exec", "--", "nosuchprogram"}, 127, []string{"nosuchprogram", "there is no command"}},
		{"UE 0", []string{"ue", "exec", "--ue", "0", "--", "true"}, 2, []string{"--ue 0", "from 1"}},
		{"a UE too many", []string{"ue", "exec", "--ue", "6", "--set", "sessions=5", "--", "true"}, 2,
			[]string{"--ue 6", "there are UEs 1 to 5"}},
		{"no room for GTP-U", []string{"ue", "exec", "--set", "mtu=600", "--", "true"}, 2, []string{"MTU of 600", "set mtu to 620 or more"}},
		{"a UE behind a wire", []string{"ue", "up", "--dut", "wire"}, 2, []string{"decap does"}},
		{"upf without config", []string{"upf"}, 2, []string{"config"}},
		{"upf without file", []string{"upf", "--config", "/nonexistent.yaml"}, 2, []string{"/nonexistent.yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := upflab(t, c.args, in(t.TempDir()))
			run.finishes(c.status)
			run.mustSay(append(c.says, "upflab: ")...)
			if run.stdout.String() != "" {
				t.Errorf("standard output is not empty:\n%s", run.stdout.String())
			}
		})
	}
}

// TestCalibrationSaysWhy: what no run can have is refused before the first, and the words of a run that fails are those of
// the calibration.
func TestCalibrationSaysWhy(t *testing.T) {
	takesLong(t)
	privileged(t)
	run := upflab(t, []string{"calibrate", "--runs", "1", "--dir", "kept", "--dut", "nosuch"}, in(t.TempDir()))
	run.finishes(2)
	run.mustSay("--dut nosuch: no such DUT")
	run = upflab(t, []string{"calibrate", "--runs", "1", "--dir", "kept", "--dut", "eupf:native"}, in(t.TempDir()),
		fakeUPF(t, "echo cannot open n3: no such device; exit 3"))
	run.finishes(1)
	run.mustSay("run 1 of 1", "cannot open n3: no such device")
}

// TestScenarioFileWithMistake: file, line and a caret.
func TestScenarioFileWithMistake(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/mine.yaml", []byte("payload: 1400\nduration: 3x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run := upflab(t, []string{"run", "./mine.yaml"}, in(dir))
	run.finishes(2)
	run.mustSay("mine.yaml", "2 | duration: 3x", "^")
}

func TestDUTNotInstalled(t *testing.T) {
	run := upflab(t, []string{"run", "--dut", "eupf"}, in(t.TempDir()), env("PATH=/nonexistent", "UPFLAB_EUPF="))
	run.finishes(1)
	run.mustSay("eupf is not installed", "https://github.com/edgecomllc/eupf", "UPFLAB_EUPF")
	wrong := upflab(t, []string{"run", "--dut", "eupf"}, in(t.TempDir()), env("UPFLAB_EUPF=/nonexistent/eupf"))
	wrong.finishes(1)
	wrong.mustSay("UPFLAB_EUPF=/nonexistent/eupf")
}

func TestWithoutRoot(t *testing.T) {
	dir := t.TempDir()
	var as []options
	if os.Geteuid() == 0 {
		as = append(as, nobody)
	}
	run := upflab(t, quick(dir+"/result"), as...)
	run.finishes(1)
	run.mustSay("needs root", "sudo upflab run")
	if _, err := os.Stat(dir + "/result"); err == nil {
		t.Error("it made a folder for a result that it cannot have")
	}
	// What needs no privileges works.
	for _, args := range [][]string{{"version"}, {"scenario", "list"}, {"dut", "list"}, {"run", "--help"}} {
		c := upflab(t, args, as...)
		c.finishes(0)
		if strings.TrimSpace(c.stdout.String()) == "" {
			t.Errorf("%v prints nothing", args)
		}
	}
}
