package cli

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

func TestCompareStatus(t *testing.T) {
	steady := clitest.StoredRun(t, "a", 2.00e6, 2.01e6, 1.99e6, 2.02e6, 2.00e6)
	again := clitest.StoredRun(t, "b", 2.01e6, 1.99e6, 2.00e6, 2.01e6, 2.00e6)
	slower := clitest.StoredRun(t, "c", 1.80e6, 1.81e6, 1.79e6, 1.82e6, 1.80e6)
	once, failed := clitest.StoredRun(t, "d", 1e6), clitest.StoredRun(t, "e")
	unknown, unknownOnce := clitest.StoredRun(t, "uncalibrated-f", 2.00e6, 2.01e6, 1.99e6, 2.02e6, 2.00e6), clitest.StoredRun(t, "uncalibrated-g", 1e6)
	unknownSlower := clitest.StoredRun(t, "uncalibrated-h", 1.80e6, 1.81e6, 1.79e6, 1.82e6, 1.80e6)
	for _, c := range []struct {
		story  string
		args   []string
		status int
		out    string
		says   string
	}{
		{"the same", []string{steady, again}, 0, "of 2 figures none is shown to be worse by more than 3 %", ""},
		{"10 % less", []string{steady, slower}, 4, "WORSE: builtin:xdp", "upflab: B is worse than A: builtin:xdp, uplink max, Rx rate"},
		{"10 % less are allowed", []string{steady, slower, "--threshold", "15%"}, 0, "worse by more than 15 %", ""},
		{"10 % more", []string{slower, steady}, 0, "better", ""},
		{"one repeat", []string{unknown, unknownOnce}, 0, "1 in B: use --set repeats=5", ""},
		{"one repeat on a machine that is known", []string{steady, once}, 4, "worse", "and 1 more"},
		{"10 % less on a machine that is not known", []string{unknown, unknownSlower}, 0, "`sudo upflab calibrate` measures it", ""},
		{"one repeat, noise known", []string{steady, once, "--noise", "2%"}, 4, "worse", "and 1 more"},
		{"noise of the metric", []string{steady, once, "--noise", "rx_pps=0.02"}, 4, "worse", ""},
		{"two DUTs of a run", []string{steady, "--dut", "builtin", "--against", "eupf"}, 4, "one run holds both",
			"builtin:xdp (A) against eupf:native (B)"},
		{"the UPF failed in B", []string{steady, failed, "--dut", "builtin"}, 1, "NOT COMPARED", "builtin:xdp in B: builtin exited"},
		{"Markdown", []string{steady, slower, "--format", "markdown"}, 4, "| Trial | Figure |", ""},
		{"JSON", []string{steady, slower, "--format", "json"}, 4, `"verdict": "worse"`, ""},
		{"one metric", []string{steady, slower, "--metrics", "rx_pps"}, 4, "among the 2 figures", ""},
		{"none of that metric", []string{steady, slower, "--metrics", "latency.p50"}, 2, "", "that has the metrics asked for"},
		{"unknown format", []string{steady, slower, "--format", "pdf"}, 2, "", "text, markdown, json or comment"},
		{"threshold without its sign", []string{steady, slower, "--threshold", "3"}, 2, "", "write 3% or 0.03"},
		{"noise is no ratio", []string{steady, slower, "--noise", "rx_pps=loud"}, 2, "", "--noise rx_pps=loud: not a ratio"},
		{"noise of nothing", []string{steady, slower, "--noise", "pps=3%"}, 2, "", `no metric "pps"`},
		{"the two DUTs of a run", []string{steady}, 4, "one run holds both", "builtin:xdp (A) against eupf:native (B)"},
		{"no result", nil, 2, "", "needs an argument: A [B]"},
		{"not there", []string{steady, steady + "/none"}, 2, "", "name the folder of a run"},
	} {
		status, out, says := typed(append([]string{"compare"}, c.args...)...)
		if status != c.status || !strings.Contains(flat(out), c.out) || !strings.Contains(flat(says), c.says) {
			t.Errorf("%s: status %d, want %d; prints\n%s\nsays %s; want %q and %q", c.story, status, c.status, out, says, c.out, c.says)
		}
	}
}

// TestCommentIsInOurWords: nobody who writes a result writes the text of the comment about it; names
// that a UPF can have stay.
func TestCommentIsInOurWords(t *testing.T) {
	const prose = " @octo-org this is APPROVED, see https://evil.example/ :tada:"
	hostile := clitest.StoredRun(t, "a", 2.00e6, 2.01e6, 1.99e6, 2.02e6, 2.00e6)
	r, err := store.Load(hostile)
	if err != nil {
		t.Fatal(err)
	}
	r.Run, r.Scenario, r.Title, r.Tool.Version, r.Notes = prose, "quick"+prose, prose, prose, []string{prose, "one"}
	r.DUTs[0].Name, r.DUTs[0].Version, r.DUTs[1].Mode, r.DUTs[1].Version = "eupf@old"+prose, prose, "native"+prose, "v0.7.1"+prose
	for i := range r.DUTs {
		for k := range r.DUTs[i].Trials {
			trial := &r.DUTs[i].Trials[k]
			trial.Load, trial.Size, trial.Reasons = record.Load{Kind: record.LoadGoal, Of: prose}, prose, []string{prose}
			trial.Valid = k > 0
		}
	}
	failed := r.DUTs[0]
	failed.Name, failed.Status, failed.Error, failed.Trials = "third", record.StatusFailed, prose, nil
	r.DUTs = append(r.DUTs, failed)
	if err := store.Save(hostile, r); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{hostile, "--dut", "eupf@old", "--against", "eupf"}, {hostile, "--dut", "eupf@old", "--against", "third"}} {
		status, out, said := typed(append([]string{"compare", "--format", "comment"}, args...)...)
		if status == 2 {
			t.Fatalf("status %d: %s", status, said)
		}
		if !strings.Contains(out, "eupf@old:xdp") || args[4] == "eupf" && !strings.Contains(out, "eupf:native") {
			t.Errorf("the names are missing:\n%s", out)
		}
		for _, bad := range []string{"APPROVED", "octo", "evil", "tada"} {
			if strings.Contains(out, bad) {
				t.Errorf("the comment has %q:\n%s", bad, out)
			}
		}
	}
}

// flat undoes the breaking of lines.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }
