package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestDryRun: it says what would happen, as anybody, and leaves nothing.
func TestDryRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	status, out, says := typed("run", "quick", "--dry-run", "--out", dir, "--set", "repeats=2", "--set",
		"thresholds=rx_pps >= 50k", "--output", "csv", "--output", "junit=/tmp/j.xml")
	if status != 0 || says != "" {
		t.Fatalf("status %d, says %s", status, says)
	}
	for _, want := range []string{"each of 2 repeats", "  wire", "  builtin:xdp", "Trials of a visit: 4",
		"rx_pps >= 50k", "Time: about", dir + ":", "figures.csv", "/tmp/j.xml (not in the folder)", "builtin-xdp/"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it made the folder")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	status, out, says = typed("run", "quick", "--dry-run", "--build", "old="+program, "--build", "new="+program,
		"--output", "otlp=http://collector:4318")
	for _, want := range []string{"  builtin@old:xdp", "  builtin@new:xdp", "http://collector:4318/v1/metrics (not in the folder)"} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, %q is not in\n%s%s", status, want, out, says)
		}
	}
	status, out, says = typed("run", "behaviour", "--dry-run", "--build", "old="+program, "--build", "new="+program,
		"--metrics", "127.0.0.1:0", "--case", "far.drop.uplink")
	for _, want := range []string{"  builtin@old:xdp", "  builtin@new:xdp", "runs 1 case on it", "junit.xml"} {
		if status != 0 || !strings.Contains(out, want) || strings.Contains(out, "  wire") {
			t.Errorf("status %d, %q is not in\n%s%s", status, want, out, says)
		}
	}
	if status, _, says := typed("run", "quick", "--dry-run", "--case", "far"); status != exit.Usage ||
		!strings.Contains(says, "quick is of kind load") {
		t.Errorf("--case with a load: status %d, says %s", status, says)
	}
	for _, args := range [][]string{{"--case", "far", "--case", "far"}, {"--case", "F\x1bAR"}, {"--case", strings.Repeat("x", 90)}} {
		if status, _, says := typed(append([]string{"run", "behaviour", "--dry-run"}, args...)...); status != exit.Usage ||
			!strings.Contains(says, "--set") {
			t.Errorf("%q is held to the schema: status %d, says %s", args, status, says)
		}
	}
	if status, _, says := typed("run", "behaviour", "--dry-run", "--case", ""); status != exit.Usage {
		t.Errorf("an empty case: status %d, says %s", status, says)
	}
	if status, _, says := typed("run", "resilience", "--dry-run", "--set", "sessions=10"); status != exit.Usage ||
		!strings.Contains(says, "leave sessions") {
		t.Errorf("resilience with a number of sessions: status %d, says %s", status, says)
	}
	for _, name := range []string{"ndr", "stress", "soak", "ue-throughput", "behaviour", "attack", "qos-accuracy", "interop", "resilience"} {
		if status, out, says := typed("run", name, "--dry-run"); status != 0 || !strings.Contains(out, "Files, in") ||
			!strings.Contains(out, "  builtin:xdp") {
			t.Errorf("%s: status %d\n%s%s", name, status, out, says)
		}
	}
	for _, c := range [][]string{{"--output", "xml"}, {"--output", "csv="}, {"--set", "thresholds=rx_pps >= 1M @ eupf"},
		{"--output", "otlp=collector:4318"}, {"--build", "/bin/true"},
		{"--build", "old=/bin/true", "--dut", "builtin", "--dut", "eupf"}, {"--variable", "UPFLAB_X"}} {
		if status, _, says := typed(append([]string{"run", "quick", "--dry-run"}, c...)...); status != exit.Usage {
			t.Errorf("%v: status %d, says %s", c, status, says)
		}
	}
}

// TestDryRunOfWhatIsAbsent: it says what would happen and how to get the UPF, as `run` does.
func TestDryRunOfWhatIsAbsent(t *testing.T) {
	t.Setenv("UPFLAB_EUPF", filepath.Join(t.TempDir(), "nowhere"))
	const get = "get it: sudo upflab run --pull --dut container:eupf"
	for _, name := range []string{"quick", "behaviour", "resilience"} {
		status, out, says := typed("run", name, "--dry-run", "--dut", "eupf", "--dut", "builtin")
		if status != exit.Failed || !strings.Contains(out, "not installed here") ||
			!strings.Contains(out, "Files, in") || !strings.Contains(says, get) {
			t.Errorf("%s: status %d\n%s%s", name, status, out, says)
		}
		if status, out, says := typed("run", name, "--dut", "eupf"); status != exit.Failed || out != "" || !strings.Contains(says, get) {
			t.Errorf("%s: status %d\n%s%s", name, status, out, says)
		}
	}
}

// TestRefusedBefore: a run and its plan refuse the same, with the same words, and leave nothing.
func TestRefusedBefore(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"file": "", "earlier/result.json": "{}", "runs/one/result.json": "{}"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, says string }{
		{"--dut external", "in its section external"},
		{"--set cpu.dut=4095", "CPU 4095 is not one"},
		{"--build x=/nonexistent/upf", "/nonexistent/upf: no such file"},
		{"--dut eupf --build x=/nonexistent/upf", "/nonexistent/upf: no such file"},
		{"--out file/below", "not a directory"},
		{"--out /proc/below", "write into /proc"},
		{"--out earlier", "the result of an earlier run"},
		{"--out runs", "has runs in folders of their own, such as one: name a new folder, such as runs/mine"},
		{"--output junit=nosuch/x.xml", "there is no folder nosuch"},
		{"--output csv=earlier", "earlier is a folder"},
		{"--output csv=/proc/figures.csv", "write into /proc"},
		{"--metrics :99999999", "invalid port"},
		{"--set stress.targets=1ms:0.001", "the scenario has no stress"},
		{"--set soak.drift=0.5", "the scenario has no soak"},
		{"--set control.population=5", "the scenario has no control"},
		{"--dut external --set external.n3_interface=a --set external.n6_interface=b --set external.dialect=nosuch", "external.dialect"},
	} {
		args := append([]string{"run", "quick"}, strings.Fields(c.args)...)
		status, _, says := typed(args...)
		planned, out, dry := typed(append(args, "--dry-run")...)
		if status != exit.Usage || planned != exit.Usage || says != dry || out != "" {
			t.Errorf("%s: status %d, says\n%s\nthe plan: %d, says\n%s", c.args, status, says, planned, dry)
		}
		if !strings.Contains(says, c.says) {
			t.Errorf("%s: says %s, without %q", c.args, says, c.says)
		}
	}
	if left, _ := filepath.Glob("*"); len(left) != 3 {
		t.Errorf("it left %q", left)
	}
}

// TestDryRunUntil: it says how long repeats go on, and refuses what a run would refuse, with the same status.
func TestDryRunUntil(t *testing.T) {
	for _, c := range []struct {
		args, want string
	}{
		{"--precision 2%", "Repeats go on until each figure is known to ±2 %, for 8 repeats at least and 20m at most."},
		{"--precision 0.05 --at-most 5m30s", "Time: at most 5m30s; a repeat takes about"},
		{"--until-decided --dut builtin:xdp --dut builtin:afpacket", "until it is decided whether builtin:afpacket is worse than builtin:xdp by more than 3 %, for 12 repeats at least and 20m at most."},
	} {
		status, out, says := typed(append([]string{"run", "quick", "--dry-run"}, strings.Fields(c.args)...)...)
		if status != 0 || says != "" || !strings.Contains(out, c.want) {
			t.Errorf("%s: status %d, %q is not in\n%s%s", c.args, status, c.want, out, says)
		}
	}
	for _, c := range []struct {
		args, want string
	}{
		{"--precision 0%", "above 0 and up to 50%"}, {"--precision 150%", "above 0 and up to 50%"}, {"--precision two", "written 2% or 0.02"},
		{"--until-decided", "this run has one"}, {"--until-decided 5%", "--until-decided=5%"}, {"--until-decided 0.05", "--until-decided=0.05"},
		{"--precision 2% --at-most 30s", "8 repeats, the least that anything is known by, take"}, {"--at-most 5m", "changes nothing"},
		{"--precision 2% --set repeats=3", "leave repeats out"}, {"--precision 0.5%", "latencies are known to 0.78 % at best"},
		{"--until-decided --dut builtin:xdp --dut builtin:tun --dut builtin:afpacket", "this run has 3"},
	} {
		status, _, says := typed(append([]string{"run", "quick", "--dry-run"}, strings.Fields(c.args)...)...)
		if status != exit.Usage || !strings.Contains(says, c.want) {
			t.Errorf("%s: status %d, says %s", c.args, status, says)
		}
	}
}
