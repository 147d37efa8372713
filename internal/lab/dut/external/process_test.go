package external

import (
	"os/exec"
	"strings"
	"testing"
	"time"

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
