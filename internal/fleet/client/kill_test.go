package client_test

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
)

var clusterKills = flag.Bool("cluster", false, "run TestClusterMemberKilled")

// TestAgentKilled: an agent that is killed in the middle of a run, by SIGKILL, is seen as
// lost within 5 s, and its job is done by another.
func TestAgentKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	l := fleettest.New(t, 3*time.Second)
	begun, kill := l.KillableAgent("victim")
	c, p, out := l.Operator(), fleettest.Plan(4), t.TempDir()
	if _, err := client.Submit(t.Context(), c, p); err != nil {
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

// TestClusterMemberKilled: on a cluster of three NATS servers first a member that follows and
// then the one that leads the queue is killed in the middle of a campaign. No result is lost,
// and none is there twice. It takes 20 to 50 s, most of them elections and leases.
func TestClusterMemberKilled(t *testing.T) {
	if !*clusterKills {
		t.Skip("-cluster runs it")
	}
	names := []string{"rack1", "rack2", "rack3", "rack4"}
	l, k := fleettest.NewCluster(t, 3*time.Second, names...)
	for _, name := range names {
		l.Agent(l.Config(l.Pass(name, name), name, 200*time.Millisecond))
	}
	c, p, out := l.Operator(), fleettest.Plan(96), t.TempDir()
	done := make(chan map[string]fleet.Run, 1)
	go func() {
		defer close(done) // also when it fails
		done <- l.Follow(c, p, out, 2*time.Minute)
	}()
	l.WaitBegun(8)
	follower := k.Follower()
	k.Kill(follower)
	l.WaitBegun(24)
	k.Restart(follower)
	leader := k.Leader()
	k.Kill(leader)
	left := len(p.Jobs) - len(l.Begun())
	runs := <-done
	t.Logf("killed %s, which followed, and %s, which led; then %d jobs had not begun", follower, leader, left)
	if left == 0 {
		t.Error("the campaign was over when the leader was killed")
	}
	var failed []string
	for _, r := range runs {
		if r.State != fleet.Done {
			failed = append(failed, r.Name+": "+r.Error)
		}
	}
	slices.Sort(failed)
	if len(runs) != len(p.Jobs) || len(failed) > 0 {
		t.Errorf("%d of %d jobs have an outcome; failed: %v", len(runs), len(p.Jobs), failed)
	}
	fleettest.CheckResults(t, p, out)
	twice := 0
	for _, n := range l.Begun() {
		twice += n - 1
	}
	if twice > l.GaveUp() {
		t.Errorf("%d jobs were begun twice, and %d given up", twice, l.GaveUp())
	}
}
