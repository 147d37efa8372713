package store

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// TestLast: the link leads to the run begun last, and is replaced whole.
func TestLast(t *testing.T) {
	base := t.TempDir()
	at := time.Date(2026, 11, 21, 1, 54, 23, 0, time.UTC)
	for _, name := range []string{"first", "second"} {
		dir, err := NewDir(base, at, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := Save(dir, &record.Result{Scenario: name}); err != nil {
			t.Fatal(err)
		}
		if err := Last(dir); err != nil {
			t.Fatal(err)
		}
		if r, err := Load(filepath.Join(base, LastName)); err != nil || r.Scenario != name {
			t.Errorf("%+v, %v", r, err)
		}
	}
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			dir, err := NewDir(base, at, "at-once")
			if err == nil {
				err = Last(dir)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if list, _ := filepath.Glob(filepath.Join(base, ".*")); len(list) > 0 {
		t.Errorf("left: %v", list)
	}
}

// TestLastIsSomethingElse: a folder of the user's is not replaced.
func TestLastIsSomethingElse(t *testing.T) {
	base := t.TempDir()
	if err := os.Mkdir(filepath.Join(base, LastName), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Last(filepath.Join(base, "run")); err == nil {
		t.Error("no error")
	}
	if info, err := os.Lstat(filepath.Join(base, LastName)); err != nil || !info.IsDir() {
		t.Errorf("the folder is gone: %v", err)
	}
}
