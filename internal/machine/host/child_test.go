package host

import (
	"errors"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A program goes on when the goroutine that launched it ends, with its thread, though the kernel would
// kill the program then; and it is on the run's list until it has ended.
func TestLaunchedOutlivesItsCaller(t *testing.T) {
	c := grouped(t)
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	launched := make(chan *Child)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		p, err := c.Launch(cmd, nil)
		if err != nil {
			t.Error(err)
		}
		launched <- p
	}()
	p := <-launched
	if p == nil {
		return
	}
	if len(c.owns.alive()) != 1 {
		t.Errorf("on the list while it runs: %v", c.owns.Processes)
	}
	in.Close() // its end
	if err := errors.Join(p.Wait(), p.Left()); err != nil {
		t.Errorf("it ended by %v", err)
	}
	if len(c.owns.Processes) != 0 {
		t.Errorf("on the list after its end: %v", c.owns.Processes)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// What a program started and left ends with it, before the program counts as ended.
func TestLaunchedEndsWhatItStarted(t *testing.T) {
	c := grouped(t)
	cmd := exec.Command("sh", "-c", "setsid sleep 86400.375 & exit 3")
	p, err := c.Launch(cmd, nil)
	if err != nil {
		t.Fatal(err)
	}
	var status *exec.ExitError
	if !errors.As(p.Wait(), &status) || status.ExitCode() != 3 || p.Left() != nil {
		t.Errorf("ended by %v, left %v", p.Wait(), p.Left())
	}
	if out, _ := exec.Command("sh", "-c", "grep -l '86400[.]375' /proc/[0-9]*/cmdline").Output(); len(out) > 0 {
		t.Errorf("left: %s", out)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
