package calibration

import (
	"os"
	"path/filepath"
	"testing"
)

// TestScratch: what a killed calibration left goes with the next one, and there is one at a time.
func TestScratch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "machine")
	left := filepath.Join(dir, scratchName, "0", "result.json")
	theirs := filepath.Join(dir, "runs", "night-1", "result.json") // --dir may be any folder of a user
	for _, path := range []string{left, theirs} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runs, release, err := Scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("an earlier calibration's results are still there")
	}
	if _, _, err := Scratch(dir); err == nil {
		t.Error("two calibrations at once")
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(runs); err == nil {
		t.Error("its own results are still there")
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Error(err)
	}
	if _, release, err = Scratch(dir); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
