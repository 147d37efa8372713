package client

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWhatKilledDesksLeft is removed by the next one, and what another desk fills meanwhile is not.
func TestWhatKilledDesksLeft(t *testing.T) {
	parent := t.TempDir()
	left := filepath.Join(parent, asideOf+"1", "job")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(parent, asideOf+"2")); err != nil {
		t.Fatal(err)
	}
	other, otherDone, err := setAside(parent)
	if err != nil {
		t.Fatal(err)
	}
	own, done, err := setAside(parent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is still there", left)
	}
	for _, dir := range []string{other, own, elsewhere} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
	done()
	otherDone()
	if _, err := os.Stat(own); err == nil {
		t.Errorf("%s is still there", own)
	}
}
