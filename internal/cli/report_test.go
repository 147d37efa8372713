package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/results/store"
)

// stored is a small result of a run that is done.
func stored(t *testing.T) *record.Result {
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

func TestReportRendersAgain(t *testing.T) {
	dir := t.TempDir()
	if err := store.Save(dir, stored(t)); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{dir, filepath.Join(dir, store.FileName)} {
		os.Remove(filepath.Join(dir, "report.md"))
		os.Remove(filepath.Join(dir, "report.html"))
		status, out, errors := typed("report", arg)
		if status != 0 || !strings.Contains(out, "builtin:xdp") || !strings.HasSuffix(out, filepath.Join(dir, "report.html")+"\n") {
			t.Errorf("report %s: status %d\n%s%s", arg, status, out, errors)
		}
		checkReports(t, dir)
	}
}

func checkReports(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"report.md", "report.html"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(b), "builtin:xdp") {
			t.Errorf("%s: %v, %d bytes", name, err, len(b))
		}
	}
}

func TestReportOfSomethingElse(t *testing.T) {
	dir := t.TempDir()
	for text, says := range map[string]string{
		"":                          store.FileName,
		"{":                         store.FileName,
		`{"schema":"something/v9"}`: "something/v9",
	} {
		if err := os.WriteFile(filepath.Join(dir, store.FileName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		status, out, errors := typed("report", dir)
		if status != exitUsage || out != "" || !strings.Contains(errors, says) {
			t.Errorf("%q: status %d, says %q %q", text, status, out, errors)
		}
	}
}

// A report of root's must not write through somebody's symbolic link.
func TestReportFollowsNoSymlink(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "passwd")
	if err := errors.Join(os.WriteFile(outside, []byte("precious"), 0o600),
		os.Symlink(outside, filepath.Join(dir, "report.html"))); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(dir, block.Document{}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "precious" {
		t.Errorf("the file outside has %q, %v", b, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "report.html")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the report is %v, %v", info, err)
	}
}

// A folder that holds a result is not used for another.
func TestOutWithResultIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := resultDir(dir, "quick"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "result.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := resultDir(dir, "quick")
	if err == nil || !strings.Contains(err.Error(), "--out") || !strings.Contains(err.Error(), "name another folder") {
		t.Errorf("a folder with a result: %v", err)
	}
}
