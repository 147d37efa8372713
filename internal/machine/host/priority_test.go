package host

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A session has its own priority again after a run, also one that was killed.
func TestPriorityComesBack(t *testing.T) {
	rootOnly(t)
	was, ok := autogroup(os.Getpid())
	if !ok || was == highestPriority {
		t.Skip("this kernel does not group by session, or this one is before all others already")
	}
	t.Cleanup(func() { setAutogroup(os.Getpid(), was) })
	for _, killed := range []bool{false, true} {
		dir := t.TempDir()
		c, err := NewClaimIn(dir, NewRunID())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.GoFirst(); err != nil {
			t.Fatal(err)
		}
		if len(settingsOf(dir, c.Run)) == 0 {
			t.Skip("the session's leader has ended")
		}
		if got, _ := autogroup(os.Getpid()); got != highestPriority {
			t.Errorf("the priority is %d, want %d", got, highestPriority)
		}
		end := c.Close
		if killed {
			end = func() error { c.Abandon(); _, err := CleanStaleIn(dir); return err }
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if got, _ := autogroup(os.Getpid()); got != was {
			t.Errorf("killed %v: the priority is %d, want %d", killed, got, was)
		}
		if left := runsIn(dir); len(left) > 0 {
			t.Errorf("killed %v: left %v", killed, left)
		}
	}
}

// TestPriorityWithoutSysAdmin: without CAP_SYS_ADMIN the kernel lets priorities change once in 100 ms, and each
// change is made still.
func TestPriorityWithoutSysAdmin(t *testing.T) {
	rootOnly(t)
	was, ok := autogroup(os.Getpid())
	if !ok {
		t.Skip("this kernel does not group by session")
	}
	t.Cleanup(func() { setAutogroup(os.Getpid(), was) })
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the capability that it gave up
		failed <- func() error {
			h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
			var caps [2]unix.CapUserData
			if err := unix.Capget(&h, &caps[0]); err != nil {
				return err
			}
			caps[0].Effective &^= 1 << unix.CAP_SYS_ADMIN
			if err := unix.Capset(&h, &caps[0]); err != nil {
				return err
			}
			for _, nice := range []int{was + 1, was + 2, was + 3} {
				if err := setAutogroup(os.Getpid(), min(nice, 19)); err != nil {
					return err
				}
			}
			return nil
		}()
	}()
	if err := <-failed; err != nil {
		t.Error(err)
	}
}
