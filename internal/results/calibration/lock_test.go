package calibration

import (
	"path/filepath"
	"testing"
)

// TestLock: there is one calibration at a time.
func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "machine")
	lock, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); err == nil {
		t.Error("two calibrations at once")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if lock, err = Lock(dir); err != nil {
		t.Fatal(err)
	}
	lock.Close()
}
