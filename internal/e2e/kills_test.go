package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

var (
	kills     = flag.Int("kills", 1, "at how many random `POINTS` TestKilledAnywhere kills each command")
	shortRuns = flag.Int("short-runs", 4, "how many `RUNS` TestShortRuns makes, two at once")
	killSeed  = flag.Uint64("kill-seed", uint64(time.Now().UnixNano()), "`SEED` of the points of TestKilledAnywhere")
)

// hostile is a command that ignores SIGTERM, floods its output, and detaches others that do so, too.
const hostile = `trap "" TERM HUP INT; setsid sh -c 'trap "" TERM HUP INT; setsid sleep 86399.4142 & exec sleep 86399.4142' & yes flood`

// groupsLeft are the control groups that were not there before.
func groupsLeft(before []string) (list []string) {
	for _, g := range groups() {
		if !slices.Contains(before, g) {
			list = append(list, g)
		}
	}
	return list
}

// groups are those of all runs of this machine.
func groups() (list []string) {
	filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "upflab-") {
			list = append(list, path)
			return filepath.SkipDir
		}
		return nil
	})
	return list
}

// hostileLeft are processes that a hostile command detached.
func hostileLeft() (list []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		if b, _ := os.ReadFile(path); strings.Contains(string(b), "86399.4142") && !strings.Contains(string(b), program()) {
			list = append(list, path)
		}
	}
	return list
}

// TestKilledAnywhere kills commands by SIGKILL at random points of their lives; `upflab clean` then
// leaves nothing.
func TestKilledAnywhere(t *testing.T) {
	takesLong(t)
	privileged(t)
	random := rand.New(rand.NewPCG(*killSeed, 1))
	t.Logf("seed %d", *killSeed)
	config := func(t *testing.T) string {
		makeLab(t)
		file := filepath.Join(t.TempDir(), "upf.yaml")
		text := fmt.Sprintf("n4: {address: %s}\nn3: {interface: n3, address: %s}\nn6: {interface: n6}\nue_pool: "+
			"[10.45.0.0/16]\n", usual.n4[1], usual.n3[1])
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, c := range []struct {
		name   string
		within time.Duration                 // of the start: the command is up, and some time has passed
		start  func(t *testing.T) []*command // the first is killed, the others end by SIGTERM then
	}{
		{"run", 4 * time.Second, func(t *testing.T) []*command {
			return []*command{upflab(t, quick(t.TempDir(), "--dut", "builtin:xdp"))}
		}},
		{"upf", 2 * time.Second, func(t *testing.T) []*command {
			return []*command{start(t, inNS(upfNS, program(), "upf", "--config", config(t)))}
		}},
		{"serve", 2 * time.Second, func(t *testing.T) []*command {
			return []*command{upflab(t, []string{"serve", t.TempDir(), "--listen", "127.0.0.1:0"})}
		}},
		{"hub", 2 * time.Second, func(t *testing.T) []*command {
			return []*command{upflab(t, []string{"hub", "run", "--dir", t.TempDir(), "--host", "127.0.0.1"})}
		}},
		{"ue up", 3 * time.Second, func(t *testing.T) []*command { return []*command{upflab(t, []string{"ue", "up"})} }},
		{"ue exec", 4 * time.Second, func(t *testing.T) []*command {
			return []*command{upflab(t, []string{"ue", "exec", "--", "sh", "-c", hostile + " >/dev/null"})}
		}},
		{"agent", 6 * time.Second, func(t *testing.T) []*command {
			l := makeLocalFleet(t)
			campaign := l.campaign()
			return []*command{l.agent(), campaign, l.hub}
		}},
		{"campaign", 4 * time.Second, func(t *testing.T) []*command {
			l := makeLocalFleet(t)
			agent := l.agent()
			return []*command{l.campaign(), agent, l.hub}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range *kills {
				after := time.Duration(random.Int64N(int64(c.within)))
				t.Run(after.Round(time.Millisecond).String(), func(t *testing.T) {
					nothingLeft(t)
					before := groups()
					commands := c.start(t)
					time.Sleep(after) // the kill comes at a random time
					commands[0].signal(syscall.SIGKILL)
					commands[0].status(10 * time.Second)
					for _, other := range commands[1:] {
						other.signal(syscall.SIGTERM)
						other.status(30 * time.Second)
					}
					// The run of a killed agent is told to end, and needs time to remove what it made.
					ended := func() bool { return len(leftProcesses()) == 0 }
					if !wait.Until(30*time.Second, 50*time.Millisecond, ended) {
						t.Fatalf("still there: %v", leftProcesses())
					}
					upflab(t, []string{"clean"}).finishes(0)
					if left := append(hostileLeft(), groupsLeft(before)...); len(left) > 0 {
						t.Errorf("left after %v: %v", after, left)
					}
				})
			}
		})
	}
}

// localFleet is a hub of this machine and one testbed.
type localFleet struct {
	t   *testing.T
	dir string
	hub *command
}

func makeLocalFleet(t *testing.T) localFleet {
	l := localFleet{t: t, dir: t.TempDir()}
	l.hub = upflab(t, []string{"hub", "run", "--dir", l.file("hub"), "--host", "127.0.0.1"})
	l.hub.announces("start a campaign")
	upflab(t, []string{"hub", "add", "here", "--dir", l.file("hub"), "--out", l.file("here.pass")}).finishes(0)
	return l
}

func (l localFleet) file(name string) string { return filepath.Join(l.dir, name) }

func (l localFleet) agent() *command {
	return upflab(l.t, []string{"agent", "--pass", l.file("here.pass"), "--dir", l.file("agent"), "--min-free", "0"})
}

// campaign submits a run of a few seconds.
func (l localFleet) campaign() *command {
	l.t.Helper()
	file := l.file("short.yaml")
	if err := os.WriteFile(file,
		[]byte("campaign: short\nscenario: quick\nset: [loads=2k, duration=1s]\nmatrix:\n  dut: [builtin:xdp]\n"),
		0o644); err != nil {
		l.t.Fatal(err)
	}
	return upflab(l.t, []string{"campaign", "run", file, "--pass", l.file("hub/operator.pass"), "--out", l.file("results")})
}

// TestShortRuns makes runs, two at once, one after another; they leave nothing.
func TestShortRuns(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	before := groups()
	var two sync.WaitGroup
	next := make(chan int)
	for range 2 {
		two.Go(func() {
			for n := range next {
				c := upflab(t, quick(filepath.Join(t.TempDir(), fmt.Sprint(n)), "--dut", "builtin:xdp"))
				select {
				case <-c.ended:
				case <-time.After(4 * time.Minute):
					t.Errorf("run %d does not end: %s", n, c.said())
					continue
				}
				// Two that share a machine may disturb each other: 3 is a figure without a valid value.
				if status := c.cmd.ProcessState.ExitCode(); status != 0 && status != 3 {
					t.Errorf("run %d: exit status %d: %s", n, status, c.said())
				}
			}
		})
	}
	for n := range *shortRuns {
		next <- n
	}
	close(next)
	two.Wait()
	if left := append(hostileLeft(), groupsLeft(before)...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
