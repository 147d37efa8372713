package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEmptyGroups: the group of a run whose list is gone, as that of a killed container is, is found by its
// name and removed. That of a run that lives elsewhere stays while it is empty, as does one with a
// process, one that is on a list here, and one that is not a run's.
func TestEmptyGroups(t *testing.T) {
	lost, living, listed, busy := grouped(t), grouped(t), grouped(t), grouped(t)
	folder := map[*Claim]cgroup{}
	for _, c := range []*Claim{lost, living, listed, busy} {
		g, _, err := c.place()
		if err != nil || g == "" {
			t.Fatalf("no control group can be made: %v", err)
		}
		folder[c] = cgroup(filepath.Dir(string(g)))
		t.Cleanup(func() { _, _ = folder[c].remove() })
	}
	home := filepath.Dir(string(folder[lost]))
	other, foreign := cgroup(filepath.Join(home, "upflab-other.slice")), cgroup(filepath.Join(home, namePrefix+NewRunID()))
	for _, dir := range []string{string(other), string(foreign), foreign.file("theirs")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Remove(string(other)); _, _ = foreign.remove() })
	sleeps := exec.Command("sleep", "60")
	runtime.LockOSThread() // with control groups of version 1 this thread enters the program's, and leaves it
	defer runtime.UnlockOSThread()
	if err := busy.startProcess(sleeps, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Claim{lost, listed, busy} {
		if err := c.Abandon(); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadDir(home)
	if err != nil {
		t.Fatal(err)
	}
	// What is not of this test is as if it were listed: the machine may have other runs.
	seen := []string{lost.Run, living.Run, busy.Run, strings.TrimPrefix(filepath.Base(string(foreign)), namePrefix)}
	var skip []string
	for _, e := range list {
		if run := ofSomeRun.FindStringSubmatch(e.Name()); run != nil && !slices.Contains(seen, run[1]) {
			skip = append(skip, run[1])
		}
	}
	removed := removeEmptyGroups([]string{home}, skip)
	if len(removed) != 1 || !strings.Contains(removed[0], string(folder[lost])) {
		t.Errorf("removed %q, want %s alone", removed, folder[lost])
	}
	for g, want := range map[cgroup]bool{folder[lost]: false, folder[living]: true, folder[listed]: true, folder[busy]: true,
		other: true, cgroup(foreign.file("theirs")): true} {
		if _, err := os.Stat(string(g)); (err == nil) != want {
			t.Errorf("%s: %v", g, err)
		}
	}
	if s, err := os.Stat(string(folder[living])); err != nil || s.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can open the group of a run, and lock it: %v, %v", s.Mode(), err)
	}
	if err := unix.Kill(sleeps.Process.Pid, 0); err != nil {
		t.Errorf("a process was ended: %v", err)
	}
	_ = sleeps.Process.Kill()
	_ = sleeps.Wait()
	if err := living.Close(); err != nil {
		t.Error(err)
	}
}
