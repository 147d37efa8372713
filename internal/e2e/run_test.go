package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// short makes a scenario as short as a test can bear: 1000 packets/s for 300 ms.
func short(more ...string) []string {
	args := []string{"--set", "loads=1k", "--set", "duration=300ms", "--set", "latency.duration=300ms", "--set",
		"attempts=1", "--set", "disturbed=keep"}
	return append(args, more...)
}

// quick is the command line of a short run into dir.
func quick(dir string, more ...string) []string {
	return append([]string{"run", "quick", "--out", dir}, short(more...)...)
}

func TestRun(t *testing.T) {
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	for _, c := range []struct {
		name, dut string
		sets      []string
		sessions  int
		short     bool // one of each datapath
	}{
		{"xdp", "builtin:xdp", []string{"--set", "disturbed=exclude"}, 1, true},
		{"generic xdp", "builtin:xdp-generic", nil, 1, true},
		{"many sessions", "builtin:xdp", []string{"--set", "sessions=100"}, 100, false},
		{"the UPF assigns TEIDs", "builtin:xdp", []string{"--set", "teid.assign=upf", "--set", "sessions=3"}, 3, false},
		{"several gNBs", "builtin:xdp", []string{"--set", "gnbs=3", "--set", "sessions=7"}, 7, false},
		{"several gNBs by packet sockets", "builtin:afpacket",
			[]string{"--set", "gnbs=3", "--set", "sessions=7", "--set", "engine=af_packet"}, 7, false},
		{"one core for all", "builtin:xdp", []string{"--set", "cpu.placement=shared"}, 1, false},
		{"packet sockets", "builtin:afpacket", []string{"--set", "sessions=10"}, 10, true},
		{"a TUN device", "builtin:tun", []string{"--set", "sessions=10"}, 10, true},
		{"packets with DF, put together", "builtin:tun", []string{"--set", "sessions=10", "--set", "df=true", "--set", "loads=20k"}, 10, false},
		{"a TAP device", "builtin:tap", []string{"--set", "sessions=10"}, 10, true},
		{"program statistics", "builtin:xdp", []string{"--set", "bpf_stats=true"}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !c.short {
				takesLong(t)
			}
			dir := filepath.Join(t.TempDir(), "new", "result")
			upflab(t, quick(dir, append(c.sets, "--dut", c.dut)...)).finishes(0, 3)
			r := load(t, dir)
			checkNames(t, dir)
			checkFiles(t, dir, r)
			checkRun(t, r, c.dut, c.sessions)
		})
	}
}

// checkFiles wants all that a run writes.
func checkFiles(t *testing.T, dir string, r *record.Result) {
	t.Helper()
	files := []string{"result.json", "report.md", "report.html"}
	for _, d := range r.DUTs {
		files = append(files, d.Files...)
	}
	for _, name := range files {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		} else if info.Size() == 0 && filepath.Ext(name) != ".log" {
			t.Errorf("%s is empty", name)
		}
	}
}

// checkRun wants the wire and the DUT, each measured in both directions.
func checkRun(t *testing.T, r *record.Result, dut string, sessions int) {
	t.Helper()
	if !r.Complete || len(r.DUTs) != 2 {
		t.Fatalf("complete %v, %d DUTs", r.Complete, len(r.DUTs))
	}
	if w := r.DUTs[0]; w.Name != "wire" || !w.Reference {
		t.Errorf("the first is %s, reference %v, not the wire", w.Name, w.Reference)
	}
	d := r.DUTs[1]
	if label := d.Name + ":" + d.Mode; label != dut || d.Status != record.StatusOK || d.Setup.Sessions != sessions {
		t.Errorf("%s: %s with %d sessions; want %s with %d", label, d.Status, d.Setup.Sessions, dut, sessions)
	}
	for _, d := range r.DUTs {
		checkTrials(t, d, sessions)
	}
}

func checkTrials(t *testing.T, d record.DUT, sessions int) {
	t.Helper()
	var got []string
	for _, trial := range d.Trials {
		got = append(got, string(trial.Kind)+" "+string(trial.Direction))
		if trial.Sessions != sessions {
			t.Errorf("%s %s: %d sessions", d.Name, trial.Direction, trial.Sessions)
		}
		checkTrial(t, d.Name, trial)
	}
	if want := []string{"load uplink", "load downlink", "latency uplink", "latency downlink"}; !slices.Equal(got, want) {
		t.Errorf("%s: trials %v, want %v", d.Name, got, want)
	}
}

// checkTrial wants every packet to arrive as it should, or to be told why not.
// How many there are in time depends on the machine, and so does what is valid.
func checkTrial(t *testing.T, name string, trial record.Trial) {
	t.Helper()
	const few = 3
	lost := int64(trial.TxPackets) - int64(trial.RxPackets)
	if lost < 0 || (lost > few && len(trial.Reasons) == 0) {
		t.Errorf("%s %s: sent %d, received %d, for no reason", name, trial.Direction, trial.TxPackets, trial.RxPackets)
	}
	if trial.Wrong != 0 || trial.Duplicates != 0 {
		t.Errorf("%s %s: %d wrong %v, %d duplicates", name, trial.Direction, trial.Wrong, trial.WrongWhy, trial.Duplicates)
	}
	if trial.RxPackets == 0 && trial.Valid {
		t.Errorf("%s %s: valid, though nothing arrived", name, trial.Direction)
	}
	if !trial.Valid && len(trial.Reasons) == 0 {
		t.Errorf("%s %s: not valid, for no reason", name, trial.Direction)
	}
	if trial.Latency != nil && trial.Latency.Count != trial.RxPackets+trial.Latency.Skipped {
		t.Errorf("%s %s: latency of %d packets, received %d, and skipped %d", name, trial.Direction, trial.Latency.Count,
			trial.RxPackets, trial.Latency.Skipped)
	}
}

// TestQuiet: a run that is to be quiet prints its answers, where the report is, and nothing else.
func TestQuiet(t *testing.T) {
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := t.TempDir()
	run := upflab(t, quick(dir, "--quiet", "--dut", "builtin:tun", "--set", "directions=uplink"))
	run.finishes(0, 3)
	out, said := run.stdout.String(), run.stderr.String()
	if !strings.Contains(out, "How fast") || !strings.HasSuffix(out, "\nreport: "+dir+"/report.html\n") || strings.Contains(out, "\nLoad\n") {
		t.Errorf("it printed\n%s", out)
	}
	if strings.Contains(said, "[1/") || strings.Contains(said, "sending and receiving") {
		t.Errorf("it said\n%s", said)
	}
}
