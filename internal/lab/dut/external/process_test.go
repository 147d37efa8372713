package external

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
)

// TestProcessThatEnds: that the UPF's process is gone is noticed at once, also while its parent has not
// waited for it, and names the process. Ending the watch leaves the process alone.
func TestProcessThatEnds(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { cmd.Wait() })
	closed := 0
	spared, err := watch(cmd.Process.Pid, dut.Resident{Close: func() error { closed++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	p, err := watch(cmd.Process.Pid, dut.Resident{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if err := spared.Stop(); err != nil || closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	select {
	case <-p.Exited():
		t.Fatal("it has not ended")
	case <-time.After(2 * look):
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Exited():
	case <-time.After(10 * time.Second):
		t.Fatal("that it ended was not noticed")
	}
	if !strings.Contains(p.Status(), "external.pid") {
		t.Errorf("status %q", p.Status())
	}
	cmd.Wait()
	if _, err := watch(cmd.Process.Pid, dut.Resident{}); err == nil || !strings.Contains(err.Error(), "there is no process") {
		t.Errorf("of a process that is gone: %v", err)
	}
}

// TestProcessThatCannotBeWatched: an old kernel, and a sandbox that refuses the call, keep no UPF from being
// measured: only its end is not noticed. A thread's number is suspected where the kernel says so.
func TestProcessThatCannotBeWatched(t *testing.T) {
	by := func(errno unix.Errno) func(int, int) (int, error) {
		return func(int, int) (int, error) { return -1, errno }
	}
	for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM} {
		closed := 0
		p, err := watchBy(by(errno), os.Getpid(), dut.Resident{Close: func() error { closed++; return nil }})
		if err != nil {
			t.Fatalf("%v: %v", errno, err)
		}
		if r := p.remarks(); !slices.Equal(p.PIDs(), []int{os.Getpid()}) || len(r) != 1 || !strings.Contains(r[0], errno.Error()) {
			t.Errorf("%v: processes %v, remarks %q", errno, p.PIDs(), r)
		}
		select {
		case <-p.Exited():
			t.Errorf("%v: it has ended", errno)
		default:
		}
		if err := p.Stop(); err != nil || closed != 1 {
			t.Errorf("%v: stop: %v, closed %d times", errno, err, closed)
		}
		if _, err := watchBy(by(errno), 1<<30, dut.Resident{}); err == nil || !strings.Contains(err.Error(), "there is no process") {
			t.Errorf("%v: of no process: %v", errno, err)
		}
	}
	for errno, thread := range map[unix.Errno]bool{unix.EINVAL: true, unix.ENOENT: true, unix.EMFILE: false} {
		if _, err := watchBy(by(errno), os.Getpid(), dut.Resident{}); !errors.Is(err, errno) || strings.Contains(err.Error(), "thread") != thread {
			t.Errorf("%v: %v", errno, err)
		}
	}
}
