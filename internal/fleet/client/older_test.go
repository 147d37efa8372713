package client_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
	"github.com/upflab/upflab/internal/text/wait"
)

// TestOlderReport: a report that an agent signed, and followed by another, does not count again when
// somebody who broke into the hub writes it there again.
func TestOlderReport(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a, c, p := newAttacker(t, l), l.Operator(), fleettest.Plan(1)
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	said := ""
	heard := func(text string) {
		t.Helper()
		found := func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(said, text)
		}
		if !wait.Until(20*time.Second, 20*time.Millisecond, found) {
			t.Fatalf("the client said %q, want %q", said, text)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	defer done.Wait()
	defer stop()
	d := &client.Campaign{Conn: c, Plan: p, Out: t.TempDir(), Notice: func(s string) { mu.Lock(); defer mu.Unlock(); said += s + "\n" }}
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

// TestOlderOutcome: a result that was refused, and written again by somebody who broke into the hub, ends
// no job: the client gives it up once more, and queues the job that is then missing in the queue.
func TestOlderOutcome(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	a, c, p := newAttacker(t, l), l.Operator(), fleettest.Plan(1)
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	defer done.Wait()
	defer stop()
	d := &client.Campaign{Conn: c, Plan: p, Out: t.TempDir(), Notice: func(s string) { t.Log(s) }}
	done.Go(func() {
		if settled, _ := d.Follow(ctx); len(settled) > 0 {
			t.Errorf("the client took %+v", settled)
		}
	})
	key := fleet.RunKey("evil", p.Jobs[0].ID)
	outcome := a.signs(fleet.Run{Job: p.Jobs[0].ID, Agent: "evil", Testbed: "evil", State: fleet.Done, Attempts: 1})
	for _, story := range []string{"as it came", "again"} {
		// The job is taken off the queue, as it is while an agent works on it or has handed in its result.
		queue, err := c.JS.Stream(t.Context(), fleet.JobStream)
		if err == nil {
			err = queue.Purge(t.Context())
		}
		if err == nil {
			_, err = c.Runs.Put(t.Context(), key, outcome)
		}
		if err != nil {
			t.Fatal(err)
		}
		var jobs uint64
		var report fleet.Run
		requeued := func() bool {
			info, failed := queue.Info(t.Context())
			if failed != nil {
				t.Fatal(failed)
			}
			e, failed := c.Runs.Get(t.Context(), key)
			if failed != nil {
				t.Fatal(failed)
			}
			jobs = info.State.Msgs
			report, err = c.DecodeRun(key, e.Value())
			return err == nil && report.State == fleet.Lost && jobs == 1
		}
		if !wait.Until(30*time.Second, 50*time.Millisecond, requeued) {
			t.Fatalf("%s: %d jobs are in the queue, and the report is %+v, %v", story, jobs, report, err)
		}
	}
}
