// Package clitest has what tests of several groups of commands need.
package clitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// Golden compares text with testdata/name; UPDATE_GOLDEN=1 writes it.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (UPDATE_GOLDEN=1 go test writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s:\n got\n%s\nwant\n%s", path, got, want)
	}
}

// Stored is a small result of a run that is done.
func Stored(t *testing.T) *record.Result {
	t.Helper()
	at := time.Date(2026, 11, 21, 1, 54, 23, 0, time.UTC)
	trial := record.Trial{
		Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 1e3}, Repeat: 1, Started: at,
		Sessions: 1, PacketSize: record.PacketSize{PayloadBytes: 1400, InnerBytes: 1428, FrameBytes: 1486},
		RxFrameBytes: 1442, DurationS: 1, Sending: record.Sending{Intended: 1000},
		Traffic: record.Traffic{
			TxPackets: 1000, RxPackets: 1000, TxPPS: 1000, RxPPS: 1000, TxL2bps: 1000 * 1486 * 8,
			RxL2bps: 1000 * 1442 * 8,
		},
		Judgement: record.Judgement{LimitedBy: "none", Valid: true, Reasons: []string{}},
	}
	return &record.Result{
		Schema: record.Schema, Run: "abcde", Scenario: "quick", Settings: "name: quick\n", Command: []string{"upflab", "run"},
		Started: at, Finished: at.Add(time.Minute), Complete: true,
		DUTs: []record.DUT{{Name: "builtin", Mode: "xdp", Version: "v1", Status: record.StatusOK, Trials: []record.Trial{trial}}},
	}
}

// CheckReports holds the reports in a folder, of a result as Stored gives.
func CheckReports(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"report.md", "report.html"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(b), "builtin:xdp") {
			t.Errorf("%s: %v, %d bytes", name, err, len(b))
		}
	}
}

// StoredRun writes a result in which a UPF did the rates, one each repeat, and
// names its folder.
func StoredRun(t *testing.T, run string, rates ...float64) string {
	t.Helper()
	upf := record.DUT{Name: "builtin", Mode: "xdp", Status: record.StatusOK}
	other := record.DUT{Name: "eupf", Mode: "native", Status: record.StatusOK}
	for i, rate := range rates {
		trial := record.Trial{
			Kind: record.KindLoad, Direction: "uplink", Load: record.Load{}, Repeat: i + 1,
			Traffic:   record.Traffic{RxPPS: rate},
			Judgement: record.Judgement{LimitedBy: "dut", Valid: true, Reasons: []string{}},
		}
		upf.Trials = append(upf.Trials, trial)
		trial.RxPPS *= 0.7
		other.Trials = append(other.Trials, trial)
	}
	r := &record.Result{Run: run, Scenario: "quick", Started: time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC),
		Complete: true, DUTs: []record.DUT{upf, other}}
	r.Calibration = &record.Calibration{Machine: r.Host.Fingerprint(), Runs: 8, Days: 2, Scatter: []record.Scatter{{Figure: "rx_pps", SD: 0.005, DF: 7, AcrossDays: true}}}
	if strings.HasPrefix(run, "uncalibrated") {
		r.Calibration = nil
	}
	if len(rates) == 0 {
		r.DUTs[0].Status, r.DUTs[0].Error = record.StatusFailed, "builtin exited"
	}
	dir := t.TempDir()
	if err := store.Save(dir, r); err != nil {
		t.Fatal(err)
	}
	return dir
}
