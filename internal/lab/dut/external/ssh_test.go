package external

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeSSH puts a program in place of ssh.
func fakeSSH(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_SSH", "")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// aMachine runs the commands that it reads, as sh at the end of ssh does.
const aMachine = `while [ "$#" -gt 1 ]; do shift; done; exec "$1"`

// TestBrokenHost: whatever the other machine does, openShell returns in time, with
// the reason, and memory stays bounded.
func TestBrokenHost(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"is silent", "exec sleep 30", "no answer within 500ms"},
		{"writes nothing and its input is closed", "exec 0<&-; exec sleep 5", "external.ssh: reach upf"},
		{"sends a line without an end", "exec yes '' | exec tr '\\n' x", "more than 64 KiB"},
		{"sends a line of 100 KiB, then waits", "head -c 102400 /dev/zero; exec sleep 30", "more than 64 KiB"},
		{"sends lines without an end", "exec yes upf", "more than 64 KiB"},
		{"sends errors without an end", "exec yes error >&2", "ssh has ended"},
		{"sends a byte at a time", "while :; do printf x; sleep 0.05; done", "no answer within 500ms"},
		{"ends at once", "echo 'Permission denied (publickey).' >&2; exit 255", "exit status 255): Permission denied"},
		// whichever is seen first
		{"ends, and a child holds its pipes", "sleep 4 & echo gone >&2; exit 1", "no answer within 500ms|ssh has ended (exit status 1): gone"},
		{"answers after the end mark", "cat >/dev/null & echo upflab-end; exec yes", "has no process 4711"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeSSH(t, c.script)
			within := 10 * time.Second // a busy machine starts programs slowly
			if strings.HasPrefix(c.want, "no answer") || strings.HasPrefix(c.want, "external.ssh") {
				within = 500 * time.Millisecond
			}
			start, before := time.Now(), allocated()
			s, err := openShell("upf", "4711", within)
			if err == nil {
				s.Close()
			}
			if took := time.Since(start); took > within+timeToEnd+timeToRelease+time.Second {
				t.Errorf("it took %v", took)
			}
			if n := allocated() - before; n > 8<<20 {
				t.Errorf("it allocated %d MiB", n>>20)
			}
			if err == nil || !slices.ContainsFunc(strings.Split(c.want, "|"),
				func(want string) bool { return strings.Contains(err.Error(), want) }) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestHostBreaksLater: a machine that answers the login and then floods. Each later
// question returns at once, with the first reason.
func TestHostBreaksLater(t *testing.T) {
	fakeSSH(t, `read -r question; read -r mark; echo 4711; echo upflab-end; exec yes`)
	s, err := openShell("upf", "4711", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.meter(); err == nil || !strings.Contains(err.Error(), "more than 64 KiB") {
		t.Errorf("a flood is read as an answer: %v", err)
	}
	start := time.Now()
	if _, err := s.meter(); err == nil || !strings.Contains(err.Error(), "more than 64 KiB") || time.Since(start) > 100*time.Millisecond {
		t.Errorf("the next question, after %v: %v", time.Since(start), err)
	}
}

// TestHealthyHost: a shell on this machine in place of ssh.
func TestHealthyHost(t *testing.T) {
	fakeSSH(t, aMachine)
	s, err := openShell("upf", "1", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if m, err := s.meter(); err != nil || m.Total == 0 {
			t.Errorf("%+v, %v", m, err)
		}
	}
	start := time.Now()
	s.Close()
	if time.Since(start) > timeToEnd {
		t.Errorf("a healthy shell took %v to end", time.Since(start))
	}
	if _, err := s.meter(); err == nil || !strings.Contains(err.Error(), "is closed") {
		t.Errorf("after Close: %v", err)
	}
}
