package dut

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func program(t *testing.T, path string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

var info = Info{Name: "xupf", Docs: "https://example.org/xupf"}

func TestFind(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	inPath := program(t, filepath.Join(dir, "x-upf"))
	wrapper := program(t, filepath.Join(dir, "wrap"))
	elsewhere := program(t, filepath.Join(other, "mine"))
	for _, c := range []struct {
		why, variable string
		command       []string
		path          string
	}{
		{"in PATH", "", []string{inPath}, inPath},
		{"only blanks are none", "  ", []string{inPath}, inPath},
		{"by its path", elsewhere, []string{elsewhere}, elsewhere},
		{"by its name", "x-upf", []string{inPath}, inPath},
		{"wrapped", "wrap -o /tmp/p " + elsewhere, []string{wrapper, "-o", "/tmp/p", elsewhere}, elsewhere},
	} {
		t.Setenv("PATH", dir)
		t.Setenv("UPFLAB_XUPF", c.variable)
		command, path, err := Find(info, "x-upf")
		if err != nil || path != c.path || !slices.Equal(command, c.command) {
			t.Errorf("%s: %q, %s, %v; want %q, %s", c.why, command, path, err, c.command, c.path)
		}
	}
}

func TestFindErrors(t *testing.T) {
	dir := t.TempDir()
	program(t, filepath.Join(dir, "wrap"))
	t.Setenv("PATH", dir)
	for variable, words := range map[string][]string{
		"":            {"xupf is not installed", `"x-upf"`, "https://example.org/xupf", "UPFLAB_XUPF"},
		"/none/upf":   {"UPFLAB_XUPF=/none/upf", "no such file"},
		"wrap absent": {"UPFLAB_XUPF=wrap absent", `"absent"`},
		"absent wrap": {"UPFLAB_XUPF=absent wrap", `"absent"`},
	} {
		t.Setenv("UPFLAB_XUPF", variable)
		_, _, err := Find(info, "x-upf")
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%q: the error %v does not say %q", variable, err, w)
			}
		}
	}
}
