package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/wait"
)

// daemon is a script that detaches a process from everything that a process can leave by
// itself, writes its number to a file, and goes on; TERM is ignored throughout.
const daemon = `trap "" TERM; export FILE=$0
	setsid sh -c 'setsid sh -c "echo \$\$ > $FILE.new; mv $FILE.new $FILE; cd /; exec sleep 86400" &' </dev/null >/dev/null 2>&1
	while [ ! -s $FILE ]; do sleep 0.01; done; `

// grouped is a claim of a folder of its own.
func grouped(t *testing.T) *Claim {
	t.Helper()
	rootOnly(t)
	c, err := NewClaimIn(t.TempDir(), NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// startDaemon runs the script, followed by more of it, in a claim, and gives the detached
// process.
func startDaemon(t *testing.T, c *Claim, more string) (cmd *exec.Cmd, detached int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	cmd = exec.Command("sh", "-c", daemon+more, file)
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // with control groups of version 1 this thread enters the program's, and leaves it
		started <- c.startProcess(cmd, func() error { return nil })
		select {} // the thread stays
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	var said []byte
	var err error
	says := func() bool { said, err = os.ReadFile(file); return err == nil && len(said) > 1 }
	if !wait.Until(5*time.Second, 5*time.Millisecond, says) {
		t.Fatal("the script has detached nothing")
	}
	if detached, err = strconv.Atoi(strings.TrimSpace(string(said))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Kill(detached, unix.SIGKILL) })
	return cmd, detached
}

// A process that a program detached is one of the program's while that runs, and ends with it.
func TestDetachedEndsWithItsProgram(t *testing.T) {
	c := grouped(t)
	cmd, detached := startDaemon(t, c, "exec sleep 0.2")
	if pids := c.Processes(cmd.Process.Pid); pids[0] != cmd.Process.Pid || !slices.Contains(pids, detached) {
		t.Errorf("processes %v, want %d first and %d among them", pids, cmd.Process.Pid, detached)
	}
	if err := c.awaitEnd(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if !ended(detached) {
		t.Error("the detached process outlived its program")
	}
	cmd.Wait()
	if err := errors.Join(c.DropProcess(cmd.Process.Pid), c.Close()); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(c.dir, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// After a kill the clean-up finds what programs detached, and says so.
func TestCleanFindsDetached(t *testing.T) {
	c := grouped(t)
	cmd, detached := startDaemon(t, c, "exec sleep 86400")
	group := c.owns.Cgroup
	cmd.Process.Kill() // as the kernel does when upflab dies
	cmd.Wait()
	c.Abandon()
	records, err := RecordsIn(c.dir)
	if want := fmt.Sprintf("process %d", detached); err != nil || len(records) != 1 || !slices.Contains(records[0].Owns, want) {
		t.Errorf("records %+v, %v: want %q", records, err, want)
	}
	removed, err := CleanStaleIn(c.dir)
	if err != nil || len(removed) != 1 || !strings.Contains(removed[0], strconv.Itoa(detached)) {
		t.Errorf("removed %q, %v", removed, err)
	}
	if !ended(detached) {
		t.Error("the detached process is left")
	}
	if _, err := os.Stat(string(group)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its control group is left: %v", err)
	}
}

// What a list names is killed only if it is a control group of the run.
func TestCleanRefusesOtherGroups(t *testing.T) {
	c := grouped(t)
	for other, want := range map[string]string{
		t.TempDir():                                  "no control group of run",
		"/sys/fs/cgroup/unified/other":               "no control group of run",
		filepath.Join(t.TempDir(), namePrefix+c.Run): "cannot be seen from here",
	} {
		if _, err := cgroup(other).ofRun(c.Run); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", other, err, want)
		}
	}
	c.add(func(o *owned) { o.Cgroup = cgroup(t.TempDir()) })
	c.Abandon()
	if _, err := CleanStaleIn(c.dir); err == nil {
		t.Error("a folder that is no control group was taken for one")
	}
}

// Version 1 does the same by its freezer, also with a program that starts others as fast as
// it can.
func TestFreezerGroup(t *testing.T) {
	rootOnly(t)
	const home = "/sys/fs/cgroup/freezer"
	if !mayHold(home) {
		t.Skip("no freezer of version 1 is mounted")
	}
	c := grouped(t)
	run := cgroup(filepath.Join(home, namePrefix+c.Run))
	if err := run.make(); err != nil {
		t.Fatal(err)
	}
	c.owns.Cgroup = run
	const marker = "86400.125"
	cmd, detached := startDaemon(t, c, "while :; do setsid sleep "+marker+" & sleep 0.002; done")
	if run.is2() || !slices.Contains(c.Processes(cmd.Process.Pid), detached) {
		t.Errorf("processes %v, want %d among them", c.Processes(cmd.Process.Pid), detached)
	}
	if slices.Contains(run.members(), os.Getpid()) {
		t.Error("upflab itself is in the group")
	}
	cmd.Process.Kill()
	if err := c.awaitEnd(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if err := errors.Join(c.DropProcess(cmd.Process.Pid), c.Close()); err != nil {
		t.Fatal(err)
	}
	if out, _ := exec.Command("sh", "-c", "grep -l '86400[.]125' /proc/[0-9]*/cmdline").Output(); !ended(detached) || len(out) > 0 {
		t.Errorf("left: %d ended %v, %s", detached, ended(detached), out)
	}
}

// Where no control group can be made, the clean-up ends what is left in the run's namespaces.
func TestCleanWithoutGroups(t *testing.T) {
	c, ns := testClaim(t)
	if err := c.add(func(o *owned) { o.NoCgroup = true }); err != nil {
		t.Fatal(err)
	}
	stray := sleeper(t, ns, "exec sleep 60")
	c.Abandon()
	if _, err := CleanStaleIn(c.dir); err != nil {
		t.Error(err)
	}
	if !ended(stray.Process.Pid) {
		t.Error("a stray program is left")
	}
}
