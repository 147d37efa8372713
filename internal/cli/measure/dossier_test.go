package measure

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/safefile"
)

// keep stores a complete result of a scenario.
func keep(t *testing.T, dir, scenario, mode string, at time.Time) {
	t.Helper()
	to := filepath.Join(dir, at.Format("150405")+"-"+scenario)
	r := &record.Result{Schema: record.Schema, Run: "abcde", Scenario: scenario, Started: at, Finished: at.Add(time.Second), Complete: true,
		DUTs: []record.DUT{{Name: "eupf", Mode: mode, Version: "v1", Status: record.StatusOK,
			Cases: []record.Case{{ID: "far.drop.uplink", Verdict: record.VerdictWrong, Expected: "this", Observed: "that", Symptom: at.Format("15:04:05")}}}}}
	if err := safefile.MakeFolder(to, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(to, r); err != nil {
		t.Fatal(err)
	}
}

// TestDossierIsOfTheNewest: of each scenario the newest result of the UPF is taken, and what is missing is named.
func TestDossierIsOfTheNewest(t *testing.T) {
	dir, at := t.TempDir(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	keep(t, dir, "behaviour", "native", at)
	keep(t, dir, "behaviour", "native", at.Add(time.Hour))
	keep(t, dir, "telemetry", "generic", at.Add(2*time.Hour))
	f := dossierFlags{dut: "eupf:native", stored: true}
	have, err := f.find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(have.parts) != 1 || !have.parts[0].Result.Started.Equal(at.Add(time.Hour)) || have.label != "eupf:native" {
		t.Errorf("%+v", have)
	}
	if got := strings.Join(have.missing, " "); got != "telemetry ndr stress" {
		t.Errorf("missing: %s", got)
	}
	var out bytes.Buffer
	if err := f.write(t.Context(), &out, &out, dir); err != nil || !strings.Contains(out.String(), "dossier-eupf-native") {
		t.Errorf("%v: %s", err, out.String())
	}
	f.dut = "open5gs"
	if err := f.write(t.Context(), &out, &out, dir); err == nil || !strings.Contains(err.Error(), "no complete result of open5gs") {
		t.Errorf("%v", err)
	}
}
