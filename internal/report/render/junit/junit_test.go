package junit

import (
	"encoding/xml"
	"strings"
	"testing"
	"unicode"

	"github.com/upflab/upflab/internal/record"
)

func TestWriteMeasurements(t *testing.T) {
	value, limit := 0.9e6, 1e6
	r := &record.Result{DUTs: []record.DUT{{Name: "eupf", Trials: []record.Trial{
		{Kind: record.KindLoad, Direction: record.Uplink, Repeat: 1, DurationS: 2, Judgement: record.Judgement{Valid: true}},
		{Kind: record.KindLoad, Direction: record.Uplink, Repeat: 2,
			Judgement: record.Judgement{Reasons: []string{"the host paused the CPUs"}}}}}},
		Thresholds: []record.Threshold{
			{Expression: "rx_pps >= 1M", DUT: "eupf", Where: "uplink max", Unit: "packets/s", Value: &value,
				Limit: &limit, Repeats: 1, Outcome: record.OutcomeFail},
			{Expression: "wrong == 0", DUT: "eupf", Where: "uplink max", Outcome: record.OutcomePass},
			{Expression: "ndr_pps >= 1M", Outcome: record.OutcomeCannotTell, Why: "no DUT of this run is meant"}}}
	var b strings.Builder
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	var got suites
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	first, run := got.Suites[0], got.Suites[1]
	if first.Tests != 4 || first.Failures != 1 || first.Skipped != 1 || first.Errors != 0 || run.Name != "run" || run.Errors != 1 {
		t.Errorf("%+v", got)
	}
	if f := first.Cases[0]; f.Class != "eupf.thresholds" || f.Name != "rx_pps >= 1M, uplink max" ||
		f.Failure.Message != "900.0 kpps, which is not >= 1.00 Mpps, in 1 of 1 repeats" {
		t.Errorf("the failure is %+v %+v", f, f.Failure)
	}
	if m := first.Cases[2]; m.Class != "eupf.measurements" || m.Name != "uplink max, repeat 1" || m.Seconds != "2.000" {
		t.Errorf("the trial is %+v", m)
	}
}

func TestWrite(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{
		{Name: "builtin", Mode: "xdp", Cases: []record.Case{
			{ID: "pdr.teid", Verdict: record.VerdictEnforced},
			{ID: "far.n9", Verdict: record.VerdictRefused, Observed: "cause 73"},
			{ID: "qer.qfi", Verdict: record.VerdictWrong, Expected: "QFI 9", Observed: "QFI <8>"}}},
		{Name: "open5gs", Mode: "tun", Error: "it has ended"},
		{Name: "external", Incidents: []record.Incident{{ID: "handover.1"}, {ID: "n4.cut", Problem: "ended", Died: true},
			{ID: "smf.restart", Problem: "cause 64"}, {ID: "upf.killed", NotApplicable: "not upflab's"}}},
	}}
	var b strings.Builder
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	var got suites
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	first, second := got.Suites[0], got.Suites[1]
	if first.Name != "builtin:xdp" || first.Tests != 3 || first.Failures != 1 || first.Skipped != 1 ||
		second.Errors != 1 || second.Tests != 1 {
		t.Errorf("%+v", got)
	}
	if x := got.Suites[2]; x.Tests != 4 || x.Failures != 1 || x.Errors != 1 || x.Skipped != 1 || x.Cases[0].Name != "handover.1" {
		t.Errorf("incidents: %+v", x)
	}
	if f := first.Cases[2].Failure; f == nil || f.Message != "QFI <8>" || f.Type != "wrong" || !strings.Contains(f.Text, "expected: QFI 9") {
		t.Errorf("the failure is %+v", f)
	}
}

// TestControlsNoTerminal: a stranger's text has no control characters, nor any that turn it round.
func TestControlsNoTerminal(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{{Name: "eupf", Error: "a\x1b[2J\u009b31m\u202eb\x00", Cases: []record.Case{
		{ID: "pdr.teid", Verdict: record.VerdictWrong, Observed: "\u0085\x1b]0;x\x07"}}}}}
	var b strings.Builder
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if at := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
		t.Errorf("%q", b.String()[at:])
	}
}
