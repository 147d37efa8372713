package sections

import (
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
)

// TestDossier: a page has what results say of its UPF alone, what shows findings, and what was not measured.
func TestDossier(t *testing.T) {
	r := &record.Result{Scenario: "behaviour", DUTs: []record.DUT{
		{Name: "eupf", Mode: "native", Version: "v0.7.1", Cases: []record.Case{
			{ID: "leak.delete", Verdict: record.VerdictNotEnforced, Expected: "as much", Observed: "maps: 1, 2, 3, 4, 5"},
			{ID: "telemetry.load", Verdict: record.VerdictEnforced, Shown: []record.Shown{{Name: "upf_rx", By: "Prometheus", Grade: record.GradeExact}}},
		}},
		{Name: "open5gs", Mode: "tun", Cases: []record.Case{{ID: "leak.modify", Verdict: record.VerdictEnforced}}},
	}}
	d := Dossier("eupf:native", []Part{{r, "results/one"}}, []Reproducer{{Case: "leak.delete", Why: "a leak"}}, []string{"ndr"}, time.Unix(0, 0))
	var titles []string
	for _, s := range d.Sections {
		titles = append(titles, s.Title)
		if table, is := s.Blocks[0].(block.Table); is && s.Title == "Leaks" && len(table.Rows) != 1 {
			t.Errorf("leaks of other UPFs are there: %+v", table.Rows)
		}
	}
	all := strings.Join(titles, "|")
	for _, want := range []string{"Leaks", "Truth of telemetry", "Reproducers", "Not measured", "Findings"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	if d.Meta[0].Value != "1970-01-01 00:00 UTC" || !strings.Contains(d.Meta[1].Value, "v0.7.1") {
		t.Errorf("%+v", d.Meta)
	}
}
