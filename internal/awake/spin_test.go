package awake

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/site/sitetest"
)

const spinner = "UPFLAB_TEST_SPINS"

func TestMain(m *testing.M) {
	if os.Getenv(spinner) != "" {
		println(Spin([]int{0}).Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// start runs Spin on CPU 0 in a process of its own.
func start(t *testing.T) *exec.Cmd {
	t.Helper()
	sitetest.Privileged(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), spinner+"=1", "GODEBUG=asyncpreemptoff=1", "GOGC=off")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

// usage is the CPU time of the calling thread.
func usage() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_THREAD, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Who polls and lets others go first, as some data paths do, keeps its CPU.
func TestYieldingTaskKeepsItsCPU(t *testing.T) {
	cmd := start(t)
	runtime.LockOSThread()
	if err := host.Pin(0, 0); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // until it spins
	others, began := ran(t, cmd.Process.Pid), usage()
	for from := time.Now(); time.Since(from) < 2*time.Second; {
		unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	if own, spun := usage()-began, ran(t, cmd.Process.Pid)-others; spun > own/4 {
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
