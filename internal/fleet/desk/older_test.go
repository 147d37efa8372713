package desk_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/desk"
	"github.com/upflab/upflab/internal/fleet/fleettest"
)

// TestOlderReport: a report that an agent signed, and followed by another, does not count again when
// somebody who broke into the hub writes it there again.
func TestOlderReport(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a, c, p := newAttacker(t, l), l.Desk(), fleettest.Plan(1)
	if _, err := desk.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	said := ""
	heard := func(text string) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			mu.Lock()
			found := strings.Contains(said, text)
			mu.Unlock()
			if found {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the desk said %q, want %q", said, text)
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	defer done.Wait()
	defer stop()
	d := &desk.Desk{Conn: c, Plan: p, Out: t.TempDir(), Notice: func(s string) { mu.Lock(); defer mu.Unlock(); said += s + "\n" }}
	done.Go(func() { _, _ = d.Follow(ctx) })
	write := func(report []byte) {
		t.Helper()
		if _, err := c.Runs.Put(t.Context(), fleet.RunKey("evil", p.Jobs[0].ID), report); err != nil {
			t.Fatal(err)
		}
	}
	report := fleet.Run{Job: p.Jobs[0].ID, Agent: "evil", Testbed: "evil", State: fleet.Lost, Attempts: 1, Error: "the first reason"}
	first := a.signs(report)
	report.Error = "the second reason"
	second := a.signs(report)
	write(first)
	heard("the first reason")
	write(second)
	write(second) // an agent that did not hear that it was written
	heard("the second reason")
	write(first)
	heard("it is an older one")
	mu.Lock()
	defer mu.Unlock()
	if n := strings.Count(said, "the first reason"); n != 1 {
		t.Errorf("the first report counted %d times", n)
	}
}
