package pages

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/text/wait"
)

// TestPagesDoNotWait: a page whose index is being made says so, runs are shown meanwhile,
// and the next page has all.
func TestPagesDoNotWait(t *testing.T) {
	s := serve(t, folder(t), Options{Loopback: true, Patience: time.Nanosecond})
	first := true
	shown := func() bool {
		status, body := get(t, s.Client(), s.URL+"/")
		if status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		if first && !strings.Contains(body, "Results are being read") {
			t.Error("the first page waited, or does not say that results are being read")
		}
		first = false
		if status, _ := get(t, s.Client(), s.URL+"/runs/night-03"); status != http.StatusOK {
			t.Errorf("a run while results are being read: status %d", status)
		}
		return strings.Contains(body, "night-11") && strings.Contains(body, "Since")
	}
	if !wait.Until(time.Minute, 20*time.Millisecond, shown) {
		t.Error("the runs and what changed did not come within a minute")
	}
}

// TestPageLooksOnce: whether a run goes on is looked up once for a page, and again for the next one.
func TestPageLooksOnce(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "night", live.FileName)
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	x, err := history.OpenInMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, r := &server{index: x}, &history.Run{Path: "night"}
	h := s.linked(trends.History{})
	if !h.Running(r) {
		t.Fatal("a run that goes on does not")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if !h.Running(r) || h.Link(r) != "/live/night" {
		t.Errorf("one page looks twice: running %v, at %s", h.Running(r), h.Link(r))
	}
	if h = s.linked(trends.History{}); h.Running(r) || h.Link(r) != "/runs/night" {
		t.Errorf("the next page does not look again: running %v, at %s", h.Running(r), h.Link(r))
	}
}
