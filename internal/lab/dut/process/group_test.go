package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/text/wait"
)

// part is a shell script as a part of a UPF, with its log in dir.
func part(dir, name, script string) Part {
	return Part{Name: name, Spec: Spec{Args: []string{"/bin/sh", "-c", script}, Log: filepath.Join(dir, name+".log")}}
}

// group starts parts that the test's end stops.
func group(t *testing.T, tb site.Site, pidns bool, parts ...Part) *Group {
	t.Helper()
	g, err := StartGroup(context.Background(), GroupSpec{Site: tb, Parts: parts, PIDNamespace: pidns, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Stop() })
	return g
}

// A program may end well and have done nothing.
func TestGroupAsksAfterOnce(t *testing.T) {
	tb, dir := sitetest.Build(t), t.TempDir()
	file := filepath.Join(dir, "done")
	for script, want := range map[string]string{"touch " + file: "", "echo no device; exit 0": "setup was not ready"} {
		os.Remove(file)
		setup := part(dir, "setup", script)
		setup.Once, setup.Within = true, 500*time.Millisecond
		setup.Ready = func() error { _, err := os.Stat(file); return err }
		g, err := StartGroup(t.Context(), GroupSpec{Site: tb, Parts: []Part{setup}, Dir: dir})
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "no device")) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
		if err == nil {
			g.Stop()
		}
	}
}

// Each starts when those before it are ready, or over.
func TestGroupStartsInOrder(t *testing.T) {
	tb, dir := sitetest.Build(t), t.TempDir()
	file := filepath.Join(dir, "order")
	say := func(word string) string { return "echo " + word + " >>" + file }
	daemon := part(dir, "daemon", "sleep 0.2; "+say("daemon")+"; exec sleep 60")
	daemon.Ready = func() error { _, err := os.Stat(file); return err }
	setup := part(dir, "setup", say("setup")+"; sleep 0.1; "+say("set"))
	setup.Once = true
	g := group(t, tb, false, daemon, setup, part(dir, "control", say("control")+"; exec sleep 60"))
	var got string
	wait.Until(2*time.Second, 10*time.Millisecond, func() bool {
		b, _ := os.ReadFile(file)
		got = strings.Join(strings.Fields(string(b)), " ")
		return strings.Contains(got, "control")
	})
	if got != "daemon setup set control" || len(g.PIDs()) != 2 || len(g.Logs()) != 3 {
		t.Errorf("they started as %q, processes %v, logs %v", got, g.PIDs(), g.Logs())
	}
	pids := g.PIDs()
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if runs(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	select {
	case <-g.Exited():
		t.Error("its end by Stop counts as a death")
	default:
	}
	if s := g.Status(); s != "" {
		t.Errorf("stopped, its status is %q", s)
	}
}

func TestGroupDiesWithAnyPart(t *testing.T) {
	tb, dir := sitetest.Build(t), t.TempDir()
	g := group(t, tb, false, part(dir, "one", "echo here; exec sleep 60"), part(dir, "two", "sleep 0.1; echo cannot bind; exit 3"))
	select {
	case <-g.Exited():
	case <-time.After(10 * time.Second):
		t.Fatal("the death of a part is not noticed")
	}
	if g.Status() != "two: exit status 3" || g.LogTail() != "cannot bind\n" {
		t.Errorf("%q, %q", g.Status(), g.LogTail())
	}
}

func TestGroupStartErrors(t *testing.T) {
	tb, dir := sitetest.Build(t), t.TempDir()
	sleeper := part(dir, "sleeper", "exec sleep 60")
	never := func(p Part) Part {
		p.Ready, p.Within = func() error { return errors.New("no answer") }, 100*time.Millisecond
		return p
	}
	dies := part(dir, "dies", "echo bad licence; exit 4")
	dies.Ready = func() error { return errors.New("no answer") }
	fails := part(dir, "setup", "echo no such port; exit 1")
	fails.Once = true
	hangs := part(dir, "setup", "exec sleep 60")
	hangs.Once, hangs.Within = true, 100*time.Millisecond
	for want, p := range map[string]Part{
		"slow was not ready within 100ms: no answer":         never(part(dir, "slow", "exec sleep 60")),
		`dies: exit status 4; it last said: "bad licence"`:   dies,
		`setup: exit status 1; it last said: "no such port"`: fails,
		"setup has not ended within 100ms":                   hangs,
		"none: start /nowhere/upf":                           {Name: "none", Spec: Spec{Args: []string{"/nowhere/upf"}, Log: dir + "/none.log"}},
	} {
		_, err := StartGroup(context.Background(), GroupSpec{Site: tb, Parts: []Part{sleeper, p}, Dir: dir})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
		var late interface{ Timeout() bool }
		if is, due := errors.As(err, &late) && late.Timeout(), strings.Contains(want, "within"); is != due {
			t.Errorf("%v: it is a matter of time: %t, want %t", err, is, due)
		}
	}
	if left := inside(t, tb); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// inside are the processes in the UPF's network namespace.
func inside(t *testing.T, tb site.Site) (pids []string) {
	t.Helper()
	number, err := tb.UPF().Inode()
	if err != nil {
		t.Fatal(err)
	}
	paths, _ := filepath.Glob("/proc/[0-9]*/ns/net")
	for _, path := range paths {
		var s unix.Stat_t
		if unix.Stat(path, &s) == nil && uint32(s.Ino) == number && filepath.Dir(filepath.Dir(path)) != fmt.Sprintf("/proc/%d", os.Getpid()) {
			pids = append(pids, path)
		}
	}
	return pids
}

// All see each other, and nobody else; they end with their process 1.
func TestGroupInPIDNamespace(t *testing.T) {
	tb, dir := sitetest.Build(t), t.TempDir()
	see := `readlink /proc/self/ns/pid; ls /proc | grep -c '^[0-9]'; echo seen; exec sleep 60`
	g := group(t, tb, true, part(dir, "one", see), part(dir, "two", "sleep 0.1; "+see))
	var one, two string
	wait.Until(5*time.Second, 10*time.Millisecond, func() bool {
		a, _ := os.ReadFile(filepath.Join(dir, "one.log"))
		b, _ := os.ReadFile(filepath.Join(dir, "two.log"))
		one, two = string(a), string(b)
		return strings.Contains(one, "seen") && strings.Contains(two, "seen")
	})
	own, _ := os.Readlink("/proc/self/ns/pid")
	a, b := strings.Fields(one), strings.Fields(two)
	if len(a) != 3 || len(b) != 3 || a[0] != b[0] || a[0] == own {
		t.Fatalf("they say %q and %q; this test is in %s", one, two, own)
	}
	var n int
	if fmt.Sscan(b[1], &n); n > 10 {
		t.Errorf("they see %d processes", n)
	}
	pids := g.PIDs()
	start := time.Now()
	if err := g.Stop(); err != nil || time.Since(start) > grace {
		t.Errorf("they ended in %v, %v", time.Since(start), err)
	}
	for _, pid := range pids {
		if !endsSoon(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
}

func TestProcessInPIDNamespace(t *testing.T) {
	tb := sitetest.Build(t)
	log := filepath.Join(t.TempDir(), "log")
	p, err := Start(Spec{Site: tb, Args: []string{"/bin/sh", "-c", "echo $$ $0 $1", "a b", "c"}, PIDNamespace: true, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	finish(t, p)
	if p.LogTail() != "1 a b c\n" || p.Status() != "exit status 0" {
		t.Errorf("it said %q, %s", p.LogTail(), p.Status())
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	_, err = Start(Spec{Site: tb, Args: []string{"/nowhere/upf"}, PIDNamespace: true, Log: log})
	if err == nil || !strings.Contains(err.Error(), "start /nowhere/upf") {
		t.Errorf("a program that is not: %v", err)
	}
}

// TestMounts: the program alone sees what is mounted for it.
func TestMounts(t *testing.T) {
	tb, dir := sitetest.Build(t), t.TempDir()
	if err := os.WriteFile(dir+"/here", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Start(Spec{Site: tb, Args: []string{"/bin/sh", "-c", "ls /mnt/upflab-shown; stat -f -c %T /mnt/upflab-tmp"},
		Mounts: []Mount{{Source: dir, Target: "/mnt/upflab-shown"}, {Type: "tmpfs", Target: "/mnt/upflab-tmp", Options: "size=64k"},
			{Type: "tmpfs", Target: "/run"}}, // over the list of what the run owns
		Log: filepath.Join(dir, "log")})
	t.Cleanup(func() { os.Remove("/mnt/upflab-shown"); os.Remove("/mnt/upflab-tmp") })
	if err != nil {
		t.Fatal(err)
	}
	finish(t, p)
	if p.LogTail() != "here\nlog\ntmpfs\n" {
		t.Errorf("it sees %q", p.LogTail())
	}
	if seen, _ := filepath.Glob("/mnt/upflab-shown/*"); len(seen) > 0 {
		t.Errorf("all see %v", seen)
	}
	p.Stop()
}

// groupVariable makes this test program the parent of a group that is killed.
const groupVariable = "UPFLAB_TEST_GROUP_PARENT"

// Not one of the programs outlives upflab, however that ends.
func TestGroupKilledWithUpflab(t *testing.T) {
	if os.Getenv(groupVariable) != "" {
		beGroupParent(t)
	}
	sitetest.Privileged(t)
	parent := exec.Command(os.Args[0], "-test.run=^TestGroupKilledWithUpflab$")
	parent.Env = append(os.Environ(), groupVariable+"=1", "TMPDIR="+t.TempDir()) // killed, it removes none itself
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pids [3]int
	var run string
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, scanned := fmt.Sscan(line, &pids[0], &pids[1], &pids[2], &run)
	parent.Process.Kill()
	parent.Wait()
	if scanned != nil {
		t.Fatalf("the parent said %q", line)
	}
	for _, pid := range pids {
		if !endsSoon(pid) {
			t.Errorf("process %d outlives its parent", pid)
		}
	}
	if _, err := host.CleanStale(); err != nil {
		t.Error(err)
	}
	if left := sitetest.Left(run); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// beGroupParent starts a group, tells its numbers and the run's, and waits to be
// killed.
func beGroupParent(t *testing.T) {
	tb, dir := sitetest.Build(t), t.TempDir()
	g := group(t, tb, true, part(dir, "one", "exec sleep 60"), part(dir, "two", "exec sleep 60"))
	fmt.Println(strings.Trim(fmt.Sprint(g.PIDs()), "[]"), tb.Spec().Run)
	time.Sleep(30 * time.Second)
}
