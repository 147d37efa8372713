package trials

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

func withEvidence() *record.Result {
	mhz, wire := 3400.0, 2.5e6
	return &record.Result{DUTs: []record.DUT{{Name: "eupf", Mode: "native", Trials: []record.Trial{
		{
			Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 500e3}, Repeat: 1,
			Judgement: record.Judgement{Valid: true, LimitedBy: "dut"},
			Evidence: &record.Evidence{
				TxRatio: 1, LateRatio: 0.0125, LatenessP99NS: 14200, Stalls: 2, GeneratorBusy: 0.2, RingDrops: 1234,
				CoreBusy: new(0.98), Others: new(0.031), RunQueueDelay: new(0.125), SwitchesPerS: new(4321.6), FrequencyMHz: &mhz, WireRxPPS: &wire,
				ClockStepS: -1, SuspendedS: 60},
		},
		{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{}, Repeat: 1,
			Judgement: record.Judgement{Valid: true, LimitedBy: "dut"}}, // of an older upflab
	}}}}
}

// row is the cells of a row of a section's only table.
func row(t *testing.T, s block.Section, n int) string {
	t.Helper()
	table, ok := s.Blocks[0].(block.Table)
	if !ok || n >= len(table.Rows) {
		t.Fatalf("no row %d: %+v", n, s.Blocks)
	}
	var texts []string
	for _, c := range table.Rows[n].Cells {
		texts = append(texts, c.Text)
	}
	if len(texts) != len(table.Columns) {
		t.Errorf("%d cells under %d heads", len(texts), len(table.Columns))
	}
	return strings.Join(texts, "|")
}

func TestEvidence(t *testing.T) {
	s := Evidence(view.New(withEvidence()))
	want := "eupf:native|uplink 500k|1|100|1.25|14.2|2|20|1,234|0|98|3.1|not reported|12.5|4,321|0|3400|not " +
		"reported|2500|set by -1 s, asleep for 60 s|not watched|"
	if got := row(t, s, 0); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n := len(s.Blocks[0].(block.Table).Rows); n != 1 {
		t.Errorf("%d rows, want 1: the other trial has no evidence", n)
	}
	for _, c := range []struct {
		x    record.Excluded
		want string
	}{
		{record.Excluded{Windows: 0, Of: 800}, "|0|"},
		{record.Excluded{Windows: 80, Of: 800,
			Causes: []record.Disturbance{{Cause: "paused", CPU: 1, Seconds: 0.25}}}, "|10|paused on CPU 1, 0.25 s"},
		{record.Excluded{Windows: 8, Of: 800,
			Causes: []record.Disturbance{{Cause: "others", Who: "cc1", CPU: 1, Seconds: 2}}}, "|1|cc1 on CPU 1, 2 s"},
		{record.Excluded{Windows: 780, Of: 800, Void: true}, "|none|all but 2.5 % was disturbed, so everything counts"},
	} {
		r := withEvidence()
		r.DUTs[0].Trials[0].Excluded = &c.x
		if got := row(t, Evidence(view.New(r)), 0); !strings.HasSuffix(got, c.want) {
			t.Errorf("%+v: %s", c.x, got)
		}
	}
	r := withEvidence()
	r.DUTs[0].Trials[0].Evidence = nil
	if s := Evidence(view.New(r)); len(s.Blocks) > 0 {
		t.Error("there is none, and it is shown")
	}
}
