package store

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestNewDirNames(t *testing.T) {
	base := filepath.Join(t.TempDir(), "results")
	at := time.Date(2026, 11, 21, 1, 54, 23, 999, time.UTC)
	for _, c := range []struct{ scenario, want string }{
		{"load-latency", "20261121-015423-load-latency"},
		{"load-latency", "20261121-015423-load-latency-2"},
		{"load-latency", "20261121-015423-load-latency-3"},
		{"../../etc", "20261121-015423-------etc"},
		{"", "20261121-015423-run"},
	} {
		dir, err := NewDir(base, at, c.scenario)
		if err != nil || dir != filepath.Join(base, c.want) {
			t.Errorf("NewDir(%q) = %s, %v; want %s", c.scenario, dir, err, c.want)
		}
	}
}

func TestNewDirIsUniqueForRunsInOneSecond(t *testing.T) {
	base, now := t.TempDir(), time.Now()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := NewDir(base, now, "quick"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if dirs, _ := os.ReadDir(base); len(dirs) != 20 {
		t.Errorf("%d folders for 20 runs", len(dirs))
	}
}

func TestNewDirBelowAFile(t *testing.T) {
	base := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(base, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := NewDir(base, time.Now(), "quick")
	if err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("error %v, want it to name --out", err)
	}
}
