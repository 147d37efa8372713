package client_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
	"github.com/upflab/upflab/internal/fleet/fleettest"
)

var (
	scaleTestbeds = flag.Int("testbeds", 10, "testbeds of TestScale")
	scaleJobs     = flag.Int("jobs", 100, "jobs of TestScale")
	scaleLength   = flag.Duration("length", 50*time.Millisecond, "length of a job of TestScale")
	scaleSpread   = flag.Duration("spread", 0,
		"by how much jobs of TestScale are longer at most, each by as much as chance has it; 0: all testbeds are "+
			"free at the same time")
)

// TestScale has a campaign measured by many simulated testbeds, and says how long a free
// testbed waits for its next job, with the handing in of the last one; and what memory
// it takes. docs/reference/measured.csv has figures of 200 testbeds and 10 000 jobs.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	l := fleettest.NewKillable(t, 60*time.Second)
	g := &gaps{ended: map[string]time.Time{}}
	var names []string
	for i := range *scaleTestbeds {
		name := fmt.Sprintf("rack%d", i)
		names = append(names, name)
		config := l.Config(l.Pass(name, name), name, 0)
		config.Notice = nil
		config.Runner = spread{agent.Simulated{For: *scaleLength, Version: fleettest.Version,
			Begun: func(fleet.Job) { g.begin(name) }, Ended: func(fleet.Job) { g.end(name) }}}
		l.Agent(config)
	}
	c, p, out := l.Operator(), fleettest.Plan(*scaleJobs), t.TempDir()
	l.WaitDoing(c, "idle", names...)
	began := time.Now()
	l.Follow(c, p, out, 10*time.Minute+time.Duration(*scaleJobs)*100*time.Millisecond)
	took := time.Since(began)
	fleettest.CheckResults(t, p, out)
	slices.Sort(g.list)
	at := func(q float64) time.Duration {
		return g.list[int(q*float64(len(g.list)-1))].Round(10 * time.Microsecond)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	t.Logf("%d testbeds, %d jobs of %s: %s in all, %.0f jobs/s; from the end of a job to the begin of the next p50 %s, p99 %s, max %s",
		*scaleTestbeds, *scaleJobs, *scaleLength, took.Round(time.Millisecond), float64(*scaleJobs)/took.Seconds(), at(0.5), at(0.99), at(1))
	if account, err := c.JS.AccountInfo(t.Context()); err == nil {
		t.Logf("questions to JetStream, of all but the hub's own work: %d, %.1f a job", account.API.Total,
			float64(account.API.Total)/float64(*scaleJobs))
	}
	t.Logf("the hub's memory: %s; of all agents and the client together: %d MB", residentOf(l.PID()), mem.Sys>>20)
	used := cpuOf(l.PID())
	t.Logf("the hub's CPU: %s, %s a job, with its start and all that agents say while they measure", used, used/time.Duration(*scaleJobs))
}

// spread has each job take longer by another time.
type spread struct{ agent.Simulated }

func (s spread) Run(ctx context.Context, j fleet.Job, t fleet.Testbed, dir string) (int, error) {
	if *scaleSpread > 0 {
		s.For += rand.N(*scaleSpread)
	}
	return s.Simulated.Run(ctx, j, t, dir)
}

// gaps are the times between two jobs of a testbed.
type gaps struct {
	mu    sync.Mutex
	ended map[string]time.Time
	list  []time.Duration
}

func (g *gaps) begin(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at, ok := g.ended[name]; ok {
		g.list = append(g.list, time.Since(at))
	}
}

func (g *gaps) end(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended[name] = time.Now()
}

// cpuOf is the CPU time of a process so far.
func cpuOf(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	ticks := 0
	for i := 11; i <= 12 && i < len(fields); i++ { // utime, stime: proc(5)
		n, _ := strconv.Atoi(fields[i])
		ticks += n
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on Linux
	return time.Duration(ticks) * tick
}

func residentOf(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}
