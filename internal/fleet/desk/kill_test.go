package desk_test

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/desk"
	"github.com/upflab/upflab/internal/fleet/fleettest"
)

// TestAgentKilled: an agent that is killed in the middle of a run, by SIGKILL, is seen as
// lost within 5 s, and its job is done by another.
func TestAgentKilled(t *testing.T) {
	l := fleettest.New(t, 3*time.Second)
	begun, kill := l.KillableAgent("victim")
	c, p, out := l.Desk(), fleettest.Plan(4), t.TempDir()
	if _, err := desk.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	job := begun()
	kill()
	killed := time.Now()
	waitLost(t, c, "victim")
	if took := time.Since(killed); took > 5*time.Second {
		t.Errorf("seen as lost after %s, want 5 s at most", took)
	}
	l.Agent(l.Config(l.Pass("other", "other"), "other", 10*time.Millisecond))
	runs := l.Follow(c, p, out, time.Minute)
	if r := runs[job]; r.State != fleet.Done || r.Testbed != "other" {
		t.Errorf("the job of the killed agent: %+v", r)
	}
	if ids := l.Begun(); len(ids) != len(p.Jobs) || ids[job] != 1 {
		t.Errorf("the other agent began %v", ids)
	}
	fleettest.CheckResults(t, p, out)
}
