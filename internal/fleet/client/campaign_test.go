package client_test

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet/fleettest"
)

// TestCampaign: four testbeds measure each job once, and the client has each result once.
// Submitted again nothing is run.
func TestCampaign(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	names := []string{"rack1", "rack2", "rack3", "rack4"}
	for _, name := range names {
		l.Agent(l.Config(l.Pass(name, name), name, 100*time.Millisecond))
	}
	c, p, out := l.Operator(), fleettest.Plan(24), t.TempDir()
	l.WaitDoing(c, "idle", names...)
	used := map[string]bool{}
	for _, r := range l.Follow(c, p, out, time.Minute) {
		used[r.Testbed] = true
	}
	fleettest.CheckResults(t, p, out)
	l.Follow(c, p, out, time.Minute)
	for id, n := range l.Begun() {
		if n != 1 {
			t.Errorf("%s was begun %d times", id, n)
		}
	}
	if len(used) != 4 {
		t.Errorf("testbeds used: %v, want all four", used)
	}
}
