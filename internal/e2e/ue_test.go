package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

// needPrograms skips a test where a program is missing; in CI that is a failure.
func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if !found(name) {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed, and CI must run this", name)
			}
			t.Skipf("%s is not installed", name)
		}
	}
}

func found(name string) bool {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// TestUEExec: the data network sees the UE, and the exit status is the command's.
func TestUEExec(t *testing.T) {
	t.Parallel()
	privileged(t)
	needPrograms(t, "curl", "ping")
	for _, c := range []struct {
		name   string
		args   []string
		status int
		stdout string
	}{
		{"the reference UPF", []string{"--", "sh", "-c", "curl -sS http://dn.test/ip; exit 7"}, 7, "10.45.0.2\n"},
		{"another UE", []string{"--ue", "3", "--", "curl", "-sS", "http://http.dn.test/ip"}, 0, "10.45.0.4\n"},
		{"no UPF", []string{"--dut", "n6", "--", "curl", "-sS", "http://dn.test/ip"}, 0, "10.45.0.2\n"},
		{"a bare decapsulator", []string{"--dut", "decap:xdp", "--set", "sessions=10", "--", "curl", "-sS",
			"--interface", "10.45.0.11", "http://dn.test/ip"}, 0, "10.45.0.11\n"},
		{"full packets", []string{"--", "sh", "-c", "ping -q -c 2 -s 1472 -M do dn.test >&2"}, 0, ""},
		{"IPv6", []string{"--set", "ue.family=ipv6", "--", "curl", "-sS", "http://dn.test/ip"}, 0, "2001:db8:45:1::2\n"},
		{"IPv6 of another UE over TUN", []string{"--dut", "builtin:tun", "--ue", "3", "--set", "ue.family=both", "--", "sh", "-c",
			"curl -6 -sS http://dn.test/ip; curl -4 -sS http://dn.test/ip; ping -6 -q -c 2 -s 1452 -M do dn.test >&2"},
			0, "2001:db8:45:3::2\n10.45.0.4\n"},
		{"IPv6 without a UPF", []string{"--dut", "n6", "--set", "ue.family=ipv6", "--", "curl", "-sS", "http://dn.test/ip"}, 0, "2001:db8:45:1::2\n"},
		{"a download", []string{"--", "curl", "-sS", "-o", "/dev/null", "-w", "%{size_download}", "http://dn.test/download/20M"}, 0, "20000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			nothingLeft(t)
			run := upflab(t, append([]string{"ue", "exec"}, c.args...))
			run.finishes(c.status)
			if got := run.stdout.String(); got != c.stdout {
				t.Errorf("the command wrote %q, want %q\n%s", got, c.stdout, run.said())
			}
		})
	}
}

// TestUEExecIsStopped: a command that never ends is ended with upflab, and so is what it
// left in the background.
func TestUEExecIsStopped(t *testing.T) {
	privileged(t)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			nothingLeft(t)
			run := neverEnds(t)
			run.signal(s)
			if got := run.status(20 * time.Second); got != 128+int(s) {
				t.Errorf("exit status %d, want %d\n%s", got, 128+int(s), run.said())
			}
			noneRuns(t)
		})
	}
}

// TestUEExecCommandIsKilled: the status is that of shells, and nothing stays.
func TestUEExecCommandIsKilled(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	upflab(t, []string{"ue", "exec", "--", "sh", "-c", "kill -9 $$"}).finishes(128 + 9)
}

// backgroundSeconds recognises the test's own sleep among processes.
const backgroundSeconds = "86397"

func neverEnds(t *testing.T) *command {
	t.Helper()
	run := upflab(t, []string{"ue", "exec", "--", "sh", "-c", "setsid sleep " + backgroundSeconds + " & echo runs >&2; exec sleep 86396"})
	run.says("runs")
	return run
}

// noneRuns wants the process in the background gone.
func noneRuns(t *testing.T) {
	t.Helper()
	if !wait.Until(5*time.Second, 50*time.Millisecond, func() bool { return !sleeps() }) {
		t.Error("a process that the command left in the background runs on")
	}
}

func sleeps() bool {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		if b, _ := os.ReadFile(path); strings.HasPrefix(string(b), "sleep\x00"+backgroundSeconds) {
			return true
		}
	}
	return false
}

// TestUEExecIsKilled: what a killed upflab left, the next one removes.
func TestUEExecIsKilled(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	run := neverEnds(t)
	run.signal(syscall.SIGKILL)
	run.status(20 * time.Second)
	clean := upflab(t, []string{"clean"})
	clean.finishes(0)
	// In a control group, or where there can be none, in the run's namespaces.
	programs := regexp.MustCompile(`removed (processes \[|programs in upflab-)`)
	if got := clean.stdout.String(); !programs.MatchString(got) || strings.Count(got, "removed namespace upflab-") != 5 {
		t.Errorf("clean says %q", got)
	}
	noneRuns(t)
}

// TestUEUp: what it prints works, until it is interrupted.
func TestUEUp(t *testing.T) {
	privileged(t)
	needPrograms(t, "curl", "ip")
	nothingLeft(t)
	run := upflab(t, []string{"ue", "up", "--set", "sessions=20"})
	run.until("it says how to use it", func() bool { return strings.Contains(run.stdout.String(), "Ctrl-C") })
	var line string
	for l := range strings.Lines(run.stdout.String()) {
		if strings.HasSuffix(l, "/ip\n") {
			line = strings.TrimSpace(l)
		}
	}
	as := start(t, exec.Command("sh", "-c", line))
	as.finishes(0)
	if got := as.stdout.String(); got != "10.45.0.2\n" {
		t.Errorf("%s: %q", line, got)
	}
	run.signal(syscall.SIGINT)
	if got := run.status(20 * time.Second); got != 0 {
		t.Errorf("exit status %d\n%s", got, run.said())
	}
	if left, _ := filepath.Glob("/etc/netns/upflab-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestUEUpWithoutItsUPF: a UPF that dies ends it, and is named.
func TestUEUpWithoutItsUPF(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	run := upflab(t, []string{"ue", "up"})
	run.until("it says how to use it", func() bool { return strings.Contains(run.stdout.String(), "Ctrl-C") })
	if err := syscall.Kill(upfProcess(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	run.finishes(1)
	run.mustSay("the UPF has ended", "killed")
}

// TestUEIPv6IsRefused: a UPF and settings without IPv6 are named before anything is started.
func TestUEIPv6IsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, says string }{
		{"--dut oai --set ue.family=ipv6", "gets UEs with IPv4 alone: it forwards IPv4 only; set ue.family to ipv4, or leave the UPF out"},
		{"--set ue.family=ipv6 --set mtu=1300", "set mtu to 1324 or more"},
		{"--set ue.family=ipv6 --uplink", "--uplink leads IPv4 alone"},
		{"--set transport=ipv6", "set transport to ipv4"},
	} {
		r := upflab(t, append(append([]string{"ue", "exec"}, strings.Fields(c.args)...), "--", "true"))
		r.finishes(2)
		r.mustSay(c.says)
	}
}
