package client

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestWhatKilledClientsLeft is removed by the next one, and what another client fills meanwhile is not.
func TestWhatKilledClientsLeft(t *testing.T) {
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

// TestClientsThatBeginAtOnce each get a folder that is theirs until they are done.
func TestClientsThatBeginAtOnce(t *testing.T) {
	parent := t.TempDir()
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 100 {
				dir, done, err := setAside(parent)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.Mkdir(filepath.Join(dir, "job"), 0o755); err != nil {
					t.Error(err)
				}
				done()
			}
		})
	}
	clients.Wait()
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("%d folders are left", len(left))
	}
}
