package host

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// refuses is set where the process that keeps a CPU awake ends at once.
const refuses = "UPFLAB_TEST_REFUSES"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == AwakeCommand {
		if os.Getenv(refuses) != "" {
			os.Stderr.WriteString("no right to load programs\n")
			os.Exit(1)
		}
		os.Stdout.WriteString("awake\n")
		time.Sleep(time.Hour) // until it is killed
	}
	os.Exit(m.Run())
}

// The process that keeps a CPU awake ends with the claim; the machine is as it was.
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
	if now := read(autogroups); now != grouped {
		t.Errorf("groups by session are %q, and were %q", now, grouped)
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

// A process that cannot keep the CPU awake says why, and leaves nothing.
func TestSpinRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root is needed")
	}
	t.Setenv(refuses, "1")
	c, err := NewClaimIn(t.TempDir(), "refused")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.spin(0); err == nil || err.Error() != "no right to load programs" {
		t.Errorf("error %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
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
