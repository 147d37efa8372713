package dut

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script makes a program in a folder: a shell script.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCalls: the error names the program that is missing, and each package once.
func TestCalls(t *testing.T) {
	starts := []Called{{"ps", "procps"}, {"ip", "iproute2"}, {"tc", "iproute2"}}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	script(t, dir, "ps", "")
	const want = "The UPF starts ip, which is not in PATH: install what it starts (Debian: apt-get install procps iproute2)"
	if err := (Env{}).Calls("The UPF", starts); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, env := range []Env{{Elsewhere: true}, {Image: new(Image)}} {
		if err := env.Calls("The UPF", starts); err != nil {
			t.Errorf("a UPF that does not run here: %v", err)
		}
	}
	script(t, dir, "ip", "")
	script(t, dir, "tc", "")
	if err := (Env{}).Calls("The UPF", starts); err != nil {
		t.Error(err)
	}
}

func TestAskVersion(t *testing.T) {
	dir := t.TempDir()
	path := script(t, dir, "upf", `[ "$1" = -v ] && echo " upf 1.2 "; echo >&2`)
	if v, err := AskVersion(path, "-v"); v != "upf 1.2" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	path = script(t, dir, "broken", "echo no libx.so.1 >&2; exit 127")
	if _, err := AskVersion(path, "-v"); err == nil ||
		!strings.Contains(err.Error(), path+" -v for its version: exit status 127: no libx.so.1") {
		t.Errorf("%v", err)
	}
}
