// Package fleettest has a hub, agents and a client for tests, in one process.
package fleettest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/hub"
	"github.com/upflab/upflab/internal/text/wait"
)

// Version is what all are of.
const Version = "v1.2.3"

// TB is what of testing.TB is needed.
type TB interface {
	Helper()
	Log(...any)
	Logf(string, ...any)
	Error(...any)
	Errorf(string, ...any)
	Fatal(...any)
	Fatalf(string, ...any)
	TempDir() string
	Cleanup(func())
	Context() context.Context
}

// Lab is a hub with those who use it.
type Lab struct {
	t     TB
	Dir   string // the hub's
	Lease time.Duration
	Hub   *hub.Hub // nil when it is a process of its own
	// MaxStore is the room for messages, octets, from the next start on; 0: enough.
	MaxStore int64
	// Loud: what agents say is logged.
	Loud  bool
	port  string
	pid   int
	start func()
	stop  func()

	mu     sync.Mutex
	runs   map[string]int // how often each job was begun
	gaveUp int
}

// New starts a hub on this machine.
func New(t TB, lease time.Duration) *Lab {
	t.Helper()
	l := newLab(t, lease)
	l.start = l.startInside
	l.Start()
	return l
}

func newLab(t TB, lease time.Duration) *Lab {
	l := &Lab{t: t, Dir: filepath.Join(t.TempDir(), "hub"), Lease: lease, port: "0", runs: map[string]int{}}
	t.Cleanup(l.Stop)
	return l
}

// Start starts the hub, where it was before.
func (l *Lab) Start() {
	l.t.Helper()
	l.start()
}

func (l *Lab) startInside() {
	l.t.Helper()
	h, err := hub.Start(l.t.Context(), hub.Config{Dir: l.Dir, Listen: "127.0.0.1:" + l.port, Lease: l.Lease, MaxStore: l.MaxStore})
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { _ = h.Serve(ctx, func(s string) { l.t.Log("hub:", s) }) })
	l.Hub, l.port = h, fmt.Sprint(h.Port())
	l.stop = func() {
		stop()
		done.Wait()
		if err := h.Close(); err != nil {
			l.t.Error(err)
		}
	}
}

// Stop stops the hub.
func (l *Lab) Stop() {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
}

// Pass makes a pass for an agent, as `upflab hub add` does.
func (l *Lab) Pass(name string, testbeds ...string) *fleet.Pass {
	l.t.Helper()
	path := l.passFile(name, testbeds...)
	p, err := fleet.ReadPass(path)
	if err != nil {
		l.t.Fatal(err)
	}
	return &p
}

func (l *Lab) passFile(name string, testbeds ...string) string {
	l.t.Helper()
	path := filepath.Join(l.t.TempDir(), name+".pass")
	if err := hub.Add(l.Dir, name, testbeds, nil, path); err != nil {
		l.t.Fatal(err)
	}
	return path
}

// Config is that of an agent which simulates runs of a length.
func (l *Lab) Config(p *fleet.Pass, testbed string, run time.Duration) agent.Config {
	name := p.Name
	return agent.Config{
		Access:  fleet.Access{Pass: p, Name: name},
		Testbed: testbedOf(testbed, name),
		Dir:     filepath.Join(l.t.TempDir(), "agent"),
		Runner:  agent.Simulated{For: run, Version: Version, Begun: l.begun},
		Notice:  func(s string) { l.heard(name, s) },
	}
}

// heard takes what an agent says.
func (l *Lab) heard(agent, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(text, "was given up") {
		l.gaveUp++
	}
	if l.Loud {
		l.t.Logf("%s: %s", agent, text)
	}
}

// GaveUp is how many runs agents gave up, all together.
func (l *Lab) GaveUp() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gaveUp
}

func (l *Lab) begun(j fleet.Job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs[j.ID]++
}

// Begun is how often each job was begun.
func (l *Lab) Begun() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := map[string]int{}
	for k, v := range l.runs {
		m[k] = v
	}
	return m
}

// Agent runs an agent until stop is called, which gives its error.
func (l *Lab) Agent(c agent.Config) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := agent.Serve(ctx, c)
		if err != nil {
			l.t.Logf("agent %s: %v", c.Testbed.Agent, err)
		}
		ended <- err
	}()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	l.t.Cleanup(func() { _ = stop() })
	return stop
}

// Operator connects as the operator.
func (l *Lab) Operator() *fleet.Conn {
	l.t.Helper()
	p, err := fleet.ReadPass(hub.OperatorPass(l.Dir))
	if err != nil {
		l.t.Fatal(err)
	}
	c, err := fleet.Open(l.t.Context(), fleet.Access{Pass: &p})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(c.Close)
	return c
}

// Plan is a campaign of n jobs.
func Plan(n int) *fleet.Plan {
	p := &fleet.Plan{Campaign: "test", Version: Version}
	for i := range n {
		p.Jobs = append(p.Jobs, fleet.Job{ID: fmt.Sprintf("j%07d", i), Campaign: "test", Name: fmt.Sprintf("builtin #%d", i),
			Scenario: "name: simulated\n", DUTs: []string{"builtin"}, Repeat: i + 1, Limit: time.Minute, Attempts: 3,
			Class: fleet.Class{Version: Version, DUTs: []string{"builtin"}}})
	}
	return p
}

// WaitDoing waits until the hub knows that each of these testbeds does something: "idle" is one
// that asks for jobs, "paused" one that takes none. Campaigns of short jobs may be over before an
// agent is connected.
func (l *Lab) WaitDoing(c *fleet.Conn, what string, testbeds ...string) {
	l.t.Helper()
	for _, name := range testbeds {
		last := ""
		does := func() bool {
			e, err := c.Alive.Get(l.t.Context(), name)
			if err != nil { // nobody has said anything yet
				return false
			}
			said, err := fleet.JSON[fleet.Alive](name, e.Value())
			if err != nil {
				l.t.Fatal(err)
			}
			last = said.Doing
			return last == what
		}
		if !wait.Until(time.Minute, 20*time.Millisecond, does) {
			l.t.Fatalf("testbed %s is %q, want %q", name, last, what)
		}
	}
}

// Follow submits a plan and collects it, within a time.
func (l *Lab) Follow(c *fleet.Conn, p *fleet.Plan, out string, within time.Duration) map[string]fleet.Run {
	l.t.Helper()
	ctx, stop := context.WithTimeout(l.t.Context(), within)
	defer stop()
	if _, err := client.Submit(ctx, c, p); err != nil {
		l.t.Fatal(err)
	}
	d := &client.Campaign{Conn: c, Plan: p, Out: out, Notice: func(s string) { l.t.Log("client:", s) }}
	runs, err := d.Follow(ctx)
	if err != nil {
		l.t.Fatalf("after %d of %d: %v", len(runs), len(p.Jobs), err)
	}
	return runs
}

// CheckResults wants exactly one result of each job in the store.
func CheckResults(t TB, p *fleet.Plan, out string) {
	t.Helper()
	for _, j := range p.Jobs {
		if _, err := os.Stat(filepath.Join(client.Folder(out, j), "result.json")); err != nil {
			t.Errorf("no result: %v", err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(out, p.Campaign))
	if err != nil || len(entries) != len(p.Jobs) {
		t.Errorf("%d folders of %d jobs: %v", len(entries), len(p.Jobs), err)
	}
}

// WaitBegun waits until so many jobs were begun.
func (l *Lab) WaitBegun(jobs int) {
	l.t.Helper()
	if !wait.Until(time.Minute, 20*time.Millisecond, func() bool { return len(l.Begun()) >= jobs }) {
		l.t.Fatalf("%d jobs were begun within a minute, want %d", len(l.Begun()), jobs)
	}
}
