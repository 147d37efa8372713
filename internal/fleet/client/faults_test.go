package client_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
	"github.com/upflab/upflab/internal/fleet/hub"
	"github.com/upflab/upflab/internal/text/wait"
)

// TestHubKilled: a hub that is killed twenty times while a campaign of 24 combinations,
// twice each, is under way loses no result, and has none twice.
func TestHubKilled(t *testing.T) {
	l := fleettest.NewKillable(t, 3*time.Second)
	for _, name := range []string{"rack1", "rack2", "rack3", "rack4"} {
		l.Agent(l.Config(l.Pass(name, name), name, 200*time.Millisecond))
	}
	c, p, out := l.Operator(), fleettest.Plan(48), t.TempDir()
	done := make(chan struct{})
	go func() {
		defer close(done) // also when it fails
		l.Follow(c, p, out, 2*time.Minute)
	}()
	kills := 0
	for killing := true; killing; {
		select {
		case <-done:
			killing = false
		case <-time.After(time.Duration(50+rand.IntN(150)) * time.Millisecond):
			if kills < 20 {
				l.Stop()
				l.Start()
				kills++
			}
		}
	}
	fleettest.CheckResults(t, p, out)
	twice := 0
	for _, n := range l.Begun() {
		twice += n - 1
	}
	if len(l.Begun()) != len(p.Jobs) || twice > l.GaveUp() {
		t.Errorf("%d of %d jobs begun, %d of them twice, %d given up", len(l.Begun()), len(p.Jobs), twice, l.GaveUp())
	}
	t.Logf("the hub was killed %d times", kills)
}

// slow waits for a job that is stopped only, and says when it ran.
type slow struct {
	agent.Simulated
	begun, ended chan time.Time
}

func (s slow) Run(ctx context.Context, _ fleet.Job, _ fleet.Testbed, _ string) (int, error) {
	s.begun <- time.Now()
	<-ctx.Done()
	s.ended <- time.Now()
	return 1, nil
}

func newSlow() slow { return slow{begun: make(chan time.Time, 8), ended: make(chan time.Time, 8)} }

// TestPartition: an agent that is cut off is seen as lost, ends its run, and only then
// another begins the job.
func TestPartition(t *testing.T) {
	l := fleettest.New(t, 2*time.Second)
	link, runner := l.Link(), newSlow()
	far := l.Pass("far", "far")
	far.URLs = []string{link.URL()}
	config := l.Config(far, "far", 0)
	config.Runner = runner
	l.Agent(config)
	c, p, out := l.Operator(), fleettest.Plan(1), t.TempDir()
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	<-runner.begun
	link.Cut()
	cut := time.Now()
	waitLost(t, c, "far")
	if took := time.Since(cut); took > 5*time.Second {
		t.Errorf("seen as lost after %s, want 5 s at most", took)
	}
	near := l.Config(l.Pass("near", "near"), "near", 0)
	var began time.Time
	near.Runner = agent.Simulated{Version: fleettest.Version, Begun: func(fleet.Job) { began = time.Now() }}
	l.Agent(near)
	runs := l.Follow(c, p, out, time.Minute)
	link.Mend()
	if ended := <-runner.ended; !ended.Before(began) {
		t.Errorf("the first run ended %s after the second began", ended.Sub(began))
	}
	if runs[p.Jobs[0].ID].Testbed != "near" {
		t.Errorf("measured on %q", runs[p.Jobs[0].ID].Testbed)
	}
	fleettest.CheckResults(t, p, out)
}

// TestLapsedLease: an agent whose lease was nobody's for a moment ends its run, although
// the testbed is its own again: another one may have begun it.
func TestLapsedLease(t *testing.T) {
	l := fleettest.New(t, 2*time.Second)
	runner := newSlow()
	config := l.Config(l.Pass("far", "far"), "far", 0)
	config.Runner = runner
	l.Agent(config)
	c := l.Operator()
	if _, err := client.Submit(t.Context(), c, fleettest.Plan(1)); err != nil {
		t.Fatal(err)
	}
	<-runner.begun
	if err := c.Leases.Delete(t.Context(), "far"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-runner.ended:
	case <-time.After(10 * time.Second):
		t.Error("the run goes on")
	}
}

func waitLost(t *testing.T, c *fleet.Conn, testbed string) {
	t.Helper()
	lost := func() bool {
		s, err := client.Look(t.Context(), c, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range s.Testbeds {
			if b.Name == testbed && b.Alive == nil {
				return true
			}
		}
		return false
	}
	if !wait.Until(20*time.Second, 50*time.Millisecond, lost) {
		t.Fatalf("%s is not seen as lost", testbed)
	}
}

// TestShortPartition: a cut that is shorter than the lease changes nothing.
func TestShortPartition(t *testing.T) {
	l := fleettest.New(t, 30*time.Second)
	link := l.Link()
	far := l.Pass("far", "far")
	far.URLs = []string{link.URL()}
	l.Agent(l.Config(far, "far", 2*time.Second))
	c, p, out := l.Operator(), fleettest.Plan(1), t.TempDir()
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	l.WaitBegun(1)
	link.Cut()
	time.AfterFunc(3*time.Second, link.Mend)
	l.Follow(c, p, out, time.Minute)
	fleettest.CheckResults(t, p, out)
	if n := l.Begun()[p.Jobs[0].ID]; n != 1 {
		t.Errorf("begun %d times", n)
	}
}

// TestRightsToTestbeds: a pass for one testbed is none for another.
func TestRightsToTestbeds(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	err := make(chan error)
	config := l.Config(l.Pass("rack1", "rack1"), "rack2", 0)
	go func() { err <- agent.Serve(t.Context(), config) }()
	select {
	case err := <-err:
		if err == nil || !strings.Contains(err.Error(), "does not allow agent rack1 to serve testbed rack2") {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it was not refused")
	}
}

// TestOtherVersion: an agent of another version gets no job, and status says why.
func TestOtherVersion(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	config := l.Config(l.Pass("old", "old"), "old", 0)
	config.Testbed.Version = "v0.9"
	l.Agent(config)
	c, p := l.Operator(), fleettest.Plan(2)
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	want := "2 jobs wait for a testbed with builtin: old: its upflab is v0.9, the campaign's v1.2.3"
	var got []string
	stuck := func() bool {
		s, err := client.Look(t.Context(), c, "test")
		if err != nil {
			t.Fatal(err)
		}
		got = s.Campaigns[0].Stuck
		return len(got) == 1 && got[0] == want
	}
	if !wait.Until(20*time.Second, 50*time.Millisecond, stuck) {
		t.Errorf("stuck: %q, want %q", got, want)
	}
}

// TestTwoHubs: a second hub does not start with the same messages.
func TestTwoHubs(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	_, err := hub.Start(t.Context(), hub.Config{Dir: l.Dir, Listen: "127.0.0.1:0", Lease: time.Minute})
	if err == nil || !strings.Contains(err.Error(), "another hub runs with the folder") {
		t.Errorf("the second hub: %v", err)
	}
}

// TestTwoAgents: of two agents for one testbed one measures, and the other says whose it is.
func TestTwoAgents(t *testing.T) {
	l := fleettest.New(t, 2*time.Second)
	first := l.Agent(l.Config(l.Pass("first", "shared"), "shared", 0))
	l.Follow(l.Operator(), fleettest.Plan(1), t.TempDir(), time.Minute)
	var mu sync.Mutex
	said := ""
	config := l.Config(l.Pass("second", "shared"), "shared", 0)
	config.Notice = func(s string) { mu.Lock(); said += s + "\n"; mu.Unlock() }
	l.Agent(config)
	heard := func(text string) {
		t.Helper()
		found := func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(said, text)
		}
		if !wait.Until(20*time.Second, 20*time.Millisecond, found) {
			t.Fatalf("the second agent said %q, want %q", said, text)
		}
	}
	heard("testbed shared is agent first's, on host host-first")
	_ = first()
	heard("serving testbed shared as agent second")
}

// TestFullDisk: a testbed without room takes no job, and the hub knows why.
func TestFullDisk(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	config := l.Config(l.Pass("full", "full"), "full", 0)
	config.MinFree = 1 << 60
	l.Agent(config)
	l.Agent(l.Config(l.Pass("empty", "empty"), "empty", 0))
	c, p, out := l.Operator(), fleettest.Plan(8), t.TempDir()
	l.WaitDoing(c, "paused", "full")
	for _, r := range l.Follow(c, p, out, time.Minute) {
		if r.Testbed != "empty" {
			t.Errorf("%s was measured on %s", r.Name, r.Testbed)
		}
	}
	e, err := c.Alive.Get(t.Context(), "full")
	if err != nil || !strings.Contains(string(e.Value()), "the disk of") {
		t.Errorf("what the hub knows of it: %v", err)
	}
}

// failing never has a result.
type failing struct{}

func (failing) Run(context.Context, fleet.Job, fleet.Testbed, string) (int, error) {
	return 0, context.DeadlineExceeded
}

// TestJobThatIsNeverFinished is named after its attempts.
func TestJobThatIsNeverFinished(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	config := l.Config(l.Pass("rack1", "rack1"), "rack1", 0)
	config.Runner = failing{}
	l.Agent(config)
	p := fleettest.Plan(1)
	r := l.Follow(l.Operator(), p, t.TempDir(), time.Minute)[p.Jobs[0].ID]
	if r.State != fleet.Failed || !strings.Contains(r.Error, "begun 3 times") {
		t.Errorf("%+v", r)
	}
}
