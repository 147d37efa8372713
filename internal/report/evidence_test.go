package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func withEvidence() *record.Result {
	mhz, wire := 3400.0, 2.5e6
	return &record.Result{DUTs: []record.DUT{{Name: "eupf", Mode: "native", Trials: []record.Trial{
		{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 500e3}, Repeat: 1, Valid: true, LimitedBy: "dut", Evidence: &record.Evidence{
			TxRatio: 1, LateRatio: 0.0125, LatenessP99NS: 14200, Stalls: 2, GeneratorBusy: 0.2, RingDrops: 1234,
			CoreBusy: 0.98, Others: 0.031, RunQueueDelay: 0.125, SwitchesPerS: 4321.6, FrequencyMHz: &mhz, WireRxPPS: &wire,
			ClockStepS: -1, SuspendedS: 60}},
		{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{}, Repeat: 1, Valid: true, LimitedBy: "dut"}, // of an older upflab
	}}}}
}

func TestEvidence(t *testing.T) {
	rows := newView(withEvidence()).evidences()
	if len(rows) != 1 || rows[0].Name != "uplink 500k" || rows[0].DUT != "eupf:native" {
		t.Fatalf("%+v", rows)
	}
	want := []string{"100", "1.25", "14.2", "2", "20", "1,234", "0", "98", "3.1", "not told", "12.5", "4,321", "0", "3400", "2500",
		"set by -1 s, asleep for 60 s"}
	if got := rows[0].Cells; strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(evidenceHeads()) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEvidenceIsShown in the formats that have room for it, and only where there
// is some.
func TestEvidenceIsShown(t *testing.T) {
	var md, html bytes.Buffer
	r := withEvidence()
	if err := Markdown(&md, r); err != nil {
		t.Fatal(err)
	}
	if err := HTML(&html, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(md.String(), "## Evidence") || !strings.Contains(html.String(), "Evidence of each trial") {
		t.Error("it is missing")
	}
	r.DUTs[0].Trials[0].Evidence = nil
	md.Reset()
	if err := Markdown(&md, r); err != nil || strings.Contains(md.String(), "## Evidence") {
		t.Errorf("there is none, and it is shown: %v", err)
	}
}
