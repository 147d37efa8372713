package host

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == AwakeCommand {
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// A CPU that is kept awake is busy with a process of least priority, in no session's
// group, which ends with the claim; the machine is as it was.
func TestSpin(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root is needed")
	}
	grouped := read(autogroups)
	dir := t.TempDir()
	c, err := NewClaimIn(dir, "spin")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.spin(0); err != nil {
		t.Fatal(err)
	}
	pid := c.owns.Processes[0].PID
	attr, err := unix.SchedGetAttr(pid, 0)
	if err != nil || attr.Policy != schedIdle {
		t.Errorf("policy %+v, %v", attr, err)
	}
	if now := read(autogroups); now != grouped {
		t.Errorf("groups by session are %q, and were %q", now, grouped)
	}
	for end := time.Now().Add(60 * time.Second); ran(t, pid) == 0; {
		if time.Now().After(end) {
			t.Fatal("it does not run")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
		t.Error("it outlives the claim")
	}
	if left := runsIn(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// ran is for how long a process had a CPU, ns.
func ran(t *testing.T, pid int) int {
	t.Helper()
	fields := strings.Fields(read("/proc/" + strconv.Itoa(pid) + "/schedstat"))
	if len(fields) == 0 {
		t.Fatal("the process is gone")
	}
	ns, _ := strconv.Atoi(fields[0])
	return ns
}

// What a run that was killed changed of the scheduler's groups is restored.
func TestAutogroupsComeBack(t *testing.T) {
	was, err := readNumber(autogroups)
	if err != nil || was == 0 || os.Geteuid() != 0 {
		t.Skip("the scheduler has no groups by session here, or they cannot be changed")
	}
	defer writeNumber(autogroups, was)
	dir := t.TempDir()
	c, err := NewClaimIn(dir, "groups")
	if err != nil {
		t.Fatal(err)
	}
	if err := withSettings(dir, func(s *settings, _ func() error) error {
		s.Autogroups = &shared{Was: was, Runs: []string{c.Run}}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := writeNumber(autogroups, 0); err != nil {
		t.Fatal(err)
	}
	c.Abandon()
	if _, err := CleanStaleIn(dir); err != nil {
		t.Fatal(err)
	}
	if now, _ := readNumber(autogroups); now != was {
		t.Errorf("it is %d, and was %d", now, was)
	}
	if left := runsIn(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
