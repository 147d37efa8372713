package host

import (
	"os"
	"testing"
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
