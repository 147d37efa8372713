package apps

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/text/wait"
)

// remote is a machine at the end of a stand-in for ssh, which runs the last argument as
// sshd does: by the shell.
func remote(t *testing.T) Place {
	t.Helper()
	ssh := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_SSH", ssh)
	claim, err := host.NewClaimIn(t.TempDir(), host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { claim.Close() })
	return Place{Claim: claim, Remote: &Remote{Host: "ran1"}}
}

func TestRemoteCommand(t *testing.T) {
	p, err := remote(t).Start("/usr/bin/printf", "%s|", "it's", "a b", "$HOME", `"`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if out, err := p.Wait(ctx); err != nil || string(out.Stdout) != `it's|a b|$HOME|"|` {
		t.Errorf("%q, %v", out.Stdout, err)
	}
}

func TestRemoteStatus(t *testing.T) {
	p, err := remote(t).Start("sh", "-c", "echo gone >&2; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := p.Wait(ctx); err == nil || !strings.Contains(err.Error(), "exit status 3: gone") {
		t.Errorf("%v", err)
	}
}

// What runs there ends when the connection does, however that ends.
func TestRemoteIsKilled(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "pid")
	p, err := remote(t).Start("sh", "-c", "echo $$ > "+mark+"; exec sleep 1000")
	if err != nil {
		t.Fatal(err)
	}
	pid := ""
	said := func() bool {
		text, _ := os.ReadFile(mark)
		pid = strings.TrimSpace(string(text))
		return pid != ""
	}
	if !wait.Until(10*time.Second, 50*time.Millisecond, said) {
		t.Fatal("the program has not begun")
	}
	p.hangUp()
	ended := func() bool {
		text, err := os.ReadFile("/proc/" + pid + "/cmdline")
		return err != nil || len(text) == 0
	}
	if !wait.Until(10*time.Second, 50*time.Millisecond, ended) {
		t.Fatalf("process %q still runs", pid)
	}
	p.Stop()
}
