package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/text/wait"
)

// start runs a shell script as a UPF would be run.
func start(t *testing.T, tb site.Site, script string) *Process {
	t.Helper()
	p, err := Start(Spec{
		Site: tb, Args: []string{"/bin/sh", "-c", script}, Env: []string{"OWN=1"}, CPUs: []int{0},
		Log: filepath.Join(t.TempDir(), "log"), Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	return p
}

// finish waits for the end of a program that ends by itself.
func finish(t *testing.T, p *Process) {
	t.Helper()
	select {
	case <-p.Exited():
	case <-time.After(10 * time.Second):
		t.Fatal("its end was not noticed")
	}
}

// said waits for the first line of the log.
func said(t *testing.T, p *Process) string {
	t.Helper()
	var line string
	var ok bool
	says := func() bool { line, _, ok = strings.Cut(p.LogTail(), "\n"); return ok }
	if !wait.Until(5*time.Second, 10*time.Millisecond, says) {
		t.Fatal("it said nothing")
	}
	return line
}

// runs reports whether a process runs; a zombie does not.
func runs(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

func endsSoon(pid int) bool {
	return wait.Until(2*time.Second, 10*time.Millisecond, func() bool { return !runs(pid) })
}

func TestSurroundings(t *testing.T) {
	tb := sitetest.Build(t)
	p := start(t, tb, `readlink /proc/self/ns/net; ls /sys/class/net | tr '\n' ' '; echo; grep Cpus_allowed_list /proc/self/status;
		stat -f -c %T /sys/fs/bpf; env | grep -c . ; echo $OWN $LANG $UPFLAB_TEST_SECRET`)
	finish(t, p)
	lines := strings.Split(strings.TrimSpace(p.LogTail()), "\n")
	if len(lines) != 6 {
		t.Fatalf("it said\n%s", p.LogTail())
	}
	var s unix.Stat_t
	if err := unix.Stat(tb.UPF().Path(), &s); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("net:[%d]", s.Ino); lines[0] != want {
		t.Errorf("its network namespace is %s, want %s", lines[0], want)
	}
	for _, device := range []string{tb.Links().UPFN3.Name, tb.Links().UPFN6.Name, tb.Links().UPFN4.Name} {
		if !strings.Contains(lines[1], device) {
			t.Errorf("/sys shows %s, want %s there", lines[1], device)
		}
	}
	for i, want := range map[int]string{2: "Cpus_allowed_list:\t0", 3: "bpf_fs", 5: "1 C"} {
		if strings.TrimSpace(lines[i]) != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if p.Status() != "exit status 0" {
		t.Errorf("it ended with %s", p.Status())
	}
}

func TestExitIsNoticed(t *testing.T) {
	tb := sitetest.Build(t)
	p := start(t, tb, "echo cannot bind >&2; exit 7")
	finish(t, p)
	if p.Status() != "exit status 7" || p.LogTail() != "cannot bind\n" {
		t.Errorf("%s, %q", p.Status(), p.LogTail())
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

// A program may be gone before it is written down.
func TestExitAtOnce(t *testing.T) {
	tb := sitetest.Build(t)
	for range 30 {
		p, err := Start(Spec{Site: tb, Args: []string{"/bin/true"}, Log: filepath.Join(t.TempDir(), "log")})
		if err != nil {
			t.Fatal(err)
		}
		finish(t, p)
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStartErrors(t *testing.T) {
	tb := sitetest.Build(t)
	dir := t.TempDir()
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Args: []string{"/nowhere/upf"}, Log: dir + "/log"}, "start /nowhere/upf"},
		{Spec{Args: []string{"/bin/true"}, Log: dir + "/none/log"}, "log of /bin/true"},
		{Spec{Args: []string{"/bin/true"}, Log: dir + "/log", CPUs: []int{1000}}, "CPU [1000]"},
	} {
		c.spec.Site = tb
		if _, err := Start(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %q in it", err, c.want)
		}
	}
}

func TestStopEndsTheGroup(t *testing.T) {
	tb := sitetest.Build(t)
	p := start(t, tb, "sleep 60 & echo $!; wait")
	child, err := strconv.Atoi(said(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if runs(p.PID()) || !endsSoon(child) {
		t.Errorf("the program runs: %v, its child: %v", runs(p.PID()), runs(child))
	}
}

// What a UPF detaches from itself counts as its own, and ends with it.
func TestStopEndsDaemons(t *testing.T) {
	tb := sitetest.Build(t)
	p := start(t, tb, `setsid sh -c 'trap "" TERM; setsid sleep 86400 & echo $!'; sleep 60`)
	daemon, err := strconv.Atoi(said(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if pids := p.PIDs(); pids[0] != p.PID() || !slices.Contains(pids, daemon) {
		t.Errorf("its processes are %v, want %d first and the daemon %d", pids, p.PID(), daemon)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if runs(daemon) {
		t.Errorf("the daemon, process %d, runs on", daemon)
	}
}

func TestStopInsists(t *testing.T) {
	tb := sitetest.Build(t)
	p := start(t, tb, "trap '' TERM; echo deaf; while :; do sleep 0.1; done")
	said(t, p)
	begin := time.Now()
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took < grace || took > 2*grace {
		t.Errorf("it had %v to end, want %v", took, grace)
	}
	if runs(p.PID()) || p.Status() != "signal: killed" {
		t.Errorf("it runs: %v, %s", runs(p.PID()), p.Status())
	}
}

func TestLogTail(t *testing.T) {
	tb := sitetest.Build(t)
	p := start(t, tb, "i=0; while [ $i -lt 1000 ]; do echo line $i; i=$((i+1)); done")
	finish(t, p)
	tail := p.LogTail()
	if len(tail) != 2000 || !strings.HasSuffix(tail, "line 998\nline 999\n") {
		t.Errorf("%d bytes, ending in %q", len(tail), tail[max(0, len(tail)-30):])
	}
}

// parentVariable makes this test program the parent that is killed.
const parentVariable = "UPFLAB_TEST_PARENT"

// A UPF does not outlive upflab, however that ends, and the next start removes
// what was left.
func TestKilledWithUpflab(t *testing.T) {
	if os.Getenv(parentVariable) != "" {
		beParent(t)
	}
	sitetest.Privileged(t)
	parent := exec.Command(os.Args[0], "-test.run=^TestKilledWithUpflab$")
	parent.Env = append(os.Environ(), parentVariable+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	var run string
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, scanned := fmt.Sscan(line, &pid, &run)
	alive := runs(pid)
	parent.Process.Kill()
	parent.Wait()
	if scanned != nil || !alive {
		t.Fatalf("the parent said %q; the program runs: %v", line, alive)
	}
	if !endsSoon(pid) {
		t.Errorf("process %d outlives its parent", pid)
	}
	if _, err := host.CleanStale(); err != nil {
		t.Error(err)
	}
	if left := sitetest.Left(run); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// beParent starts a program, tells its number and the run's, and waits to be killed.
func beParent(t *testing.T) {
	tb := sitetest.Build(t)
	p, err := Start(Spec{Site: tb, Args: []string{"/bin/sleep", "60"}, Log: filepath.Join(t.TempDir(), "sleep.log")})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(p.PID(), tb.Spec().Run)
	time.Sleep(30 * time.Second)
	p.Stop()
}
