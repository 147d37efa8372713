package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// fakeOAI writes a program that takes the place of OAI-CN5G-UPF's, and one of ethtool, which the UPF needs.
func fakeOAI(t *testing.T, script string) options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"oai_upf": script, "ethtool": "exit 0"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return env("UPFLAB_OAI="+filepath.Join(dir, "oai_upf"), "PATH="+dir+":"+os.Getenv("PATH"))
}

// TestOAIDoesNotStart: one error says what the UPF did, with what it said.
func TestOAIDoesNotStart(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	for _, c := range []struct {
		name, script string
		says, logged string
	}{
		{"a library is missing",
			"echo 'oai_upf: error while loading shared libraries: libconfig++.so.9v5: cannot open shared object file' >&2; exit 127",
			"exit status 127", "libconfig++.so.9v5"},
		{"a version with another command line", "echo 'Unrecognized option [63]'; echo 'Options::parse() failed'; exit 1",
			"exit status 1", "Options::parse() failed"},
		{"the configuration is refused", "echo '[system] [error] Reading the configuration failed. Exiting.'; exit 1",
			"exit status 1", "Reading the configuration failed"},
		{"never associates", "echo '[upf_n4 ] [start] Started'; exec sleep 120",
			"setting up N4: no answer from UPF ", "[upf_n4 ] [start] Started"},
		{"logs without end", "exec yes '[upf_n4 ] [info] handle_receive(16 bytes)'",
			"setting up N4: no answer from UPF ", "handle_receive(16 bytes)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasPrefix(c.says, "setting up N4") { // which is tried for half a minute
				takesLong(t)
			}
			t.Parallel() // they wait, and measure nothing
			dir := t.TempDir()
			run := upflab(t, quick(dir, "--dut", "oai:simple"), fakeOAI(t, c.script))
			run.finishesWithin(90*time.Second, 1)
			run.mustSay("upflab: oai failed: ", c.says)
			if n := strings.Count(run.said(), "upflab: oai failed: "); n != 1 {
				t.Errorf("%d errors, want one:\n%s", n, run.said())
			}
			d := load(t, dir).DUTs[1]
			if d.Status != record.StatusFailed || !strings.Contains(d.LogTail, c.logged) {
				t.Errorf("%s: %s, log %.200q", d.Name, d.Status, d.LogTail)
			}
			if size := largestLog(dir); size > logLimit {
				t.Errorf("a log has %d octets, want %d at most", size, logLimit)
			}
		})
	}
}
