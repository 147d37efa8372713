package nosleep_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/nosleep"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/text/wait"
)

// start keeps CPU 0 awake.
func start(t *testing.T) (pid int) {
	t.Helper()
	sitetest.Privileged(t)
	dir := t.TempDir()
	c, err := host.NewClaimIn(dir, "awake")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := nosleep.Keep(c, []int{0}); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, "awake.json"))
	if err != nil {
		t.Fatal(err)
	}
	var owns struct{ Processes []struct{ PID int } }
	if err := json.Unmarshal(list, &owns); err != nil {
		t.Fatal(err)
	}
	if len(owns.Processes) == 0 {
		t.Skip("an idle driver does it")
	}
	return owns.Processes[0].PID
}

// usage is the CPU time of the calling thread.
func usage() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_THREAD, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Who polls and lets others go first, as some data paths do, keeps its CPU.
func TestYieldingTaskKeepsItsCPU(t *testing.T) {
	pid := start(t)
	runtime.LockOSThread()
	if err := threads.Pin(0, 0); err != nil {
		t.Fatal(err)
	}
	spins := func() bool { return ran(t, pid) > 100*time.Millisecond }
	if !wait.Until(10*time.Second, 50*time.Millisecond, spins) {
		t.Fatalf("the spinner had the CPU for %v in 10 s", ran(t, pid))
	}
	others, began := ran(t, pid), usage()
	for from := time.Now(); time.Since(from) < 2*time.Second; {
		unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	if own, spun := usage()-began, ran(t, pid)-others; spun > own/4 {
		t.Errorf("the spinner had the CPU for %v, the task for %v", spun, own)
	}
}

// ran is for how long the threads of a process had a CPU.
func ran(t *testing.T, pid int) (sum time.Duration) {
	t.Helper()
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(paths) == 0 {
		t.Fatal("the spinner has ended", err)
	}
	for _, path := range paths {
		b, _ := os.ReadFile(path)
		var ns time.Duration
		fmt.Sscan(string(b), &ns)
		sum += ns
	}
	return sum
}
