package measure

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// keep stores a complete result of a scenario that was run with --set, with eUPF in a mode and in another in which it failed.
func keep(t *testing.T, dir, name, mode string, at time.Time, sets ...string) {
	t.Helper()
	to := filepath.Join(dir, at.Format("150405")+"-"+name)
	s, err := scenario.Open(name, sets, false)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := scenario.Effective(s)
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Result{Schema: record.Schema, Run: "abcde", Scenario: name, Settings: settings, Started: at, Finished: at.Add(time.Second), Complete: true,
		DUTs: []record.DUT{{Name: "eupf", Mode: "failed", Status: record.StatusFailed}, {Name: "eupf", Mode: mode, Version: "v1", Status: record.StatusOK,
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

// TestDossierIsOfWholeRuns: runs of chosen cases or with other settings are not taken; other addresses and repeats are no reason.
func TestDossierIsOfWholeRuns(t *testing.T) {
	dir, at := t.TempDir(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	keep(t, dir, "behaviour", "native", at, "n3.gnb=10.9.8.1", "n3.upf=10.9.8.2")
	keep(t, dir, "behaviour", "native", at.Add(time.Hour), "cases=far")
	keep(t, dir, "behaviour", "native", at.Add(2*time.Hour), "n3.ipsec=esp")
	keep(t, dir, "telemetry", "native", at, "cases=telemetry.loss")
	keep(t, dir, "ndr", "native", at, "search.preset=csit")
	keep(t, dir, "stress", "native", at, "repeats=5", "cpu.dut=1")
	have, err := (&dossierFlags{dut: "eupf"}).find(t.Context(), dir)
	if err != nil || len(have.parts) != 2 || !have.parts[0].Result.Started.Equal(at) {
		t.Errorf("%v: %+v", err, have)
	}
	if got := strings.Join(have.missing, " "); got != "telemetry ndr" {
		t.Errorf("missing: %s", got)
	}
}

// TestDossierIsOfOneMode: a newer result of another mode does not hide that of the mode, and where there is none of the mode it is missing.
func TestDossierIsOfOneMode(t *testing.T) {
	dir, at := t.TempDir(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	keep(t, dir, "behaviour", "native", at)
	keep(t, dir, "telemetry", "native", at)
	keep(t, dir, "telemetry", "generic", at.Add(time.Hour))
	keep(t, dir, "ndr", "generic", at)
	f := dossierFlags{dut: "eupf", plan: true}
	var out bytes.Buffer
	if err := f.write(t.Context(), &out, &out, dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"behaviour  from " + dir, "telemetry  from " + filepath.Join(dir, "030405-telemetry"),
		"ndr        is missing: upflab run ndr --dut eupf:native", "stress     is missing: upflab run stress --dut eupf:native"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q:\n%s", want, out.String())
		}
	}
}
