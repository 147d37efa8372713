package threads

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRaiseAll runs in a process of its own: all threads have the priority, also those that
// are started later.
func TestRaiseAll(t *testing.T) {
	if os.Getenv("RAISE_ALL") != "" {
		raiseAll(t)
		return
	}
	if err := realtime(0, unix.SCHED_NORMAL, 0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRaiseAll$")
	cmd.Env = append(os.Environ(), "RAISE_ALL=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func raiseAll(t *testing.T) {
	if err := RaiseAll(1); err != nil {
		if os.Geteuid() != 0 {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	const started = 8
	release := make(chan struct{})
	running := make(chan struct{})
	for range started {
		Once(func() {
			running <- struct{}{}
			<-release
		})
	}
	for range started {
		<-running
	}
	defer close(release)
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		tid, _ := strconv.Atoi(task.Name())
		attr, err := unix.SchedGetAttr(tid, 0)
		if err == nil && (attr.Policy != unix.SCHED_RR || attr.Priority != 1) {
			t.Errorf("thread %d has policy %d and priority %d", tid, attr.Policy, attr.Priority)
		}
	}
	if len(tasks) < started {
		t.Errorf("%d threads, %d were started", len(tasks), started)
	}
}
