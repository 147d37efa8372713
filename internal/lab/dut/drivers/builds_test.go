package drivers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// TestBuilds: each is a target with its own program, after the references.
func TestBuilds(t *testing.T) {
	withEUPF(t, false)
	dir := t.TempDir()
	for _, name := range []string{"main", "change"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	targets, err := Builds("eupf:generic", "", []string{"old=./main", "new=" + filepath.Join(dir, "change")}, &scenario.Scenario{}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	var labels, programs []string
	for _, target := range targets {
		labels = append(labels, target.Label())
		if b := target.Build; b != nil {
			programs = append(programs, b.Value)
			if b.Variable != "UPFLAB_EUPF" {
				t.Errorf("its variable is %s", b.Variable)
			}
		}
	}
	if want := []string{"wire", "eupf@old:generic", "eupf@new:generic"}; !slices.Equal(labels, want) {
		t.Errorf("%v, want %v", labels, want)
	}
	if want := []string{filepath.Join(dir, "main"), filepath.Join(dir, "change")}; !slices.Equal(programs, want) {
		t.Errorf("%v, want %v", programs, want)
	}
}

func TestBuildErrors(t *testing.T) {
	withEUPF(t, true)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dut, says string
		builds    []string
	}{
		{"nosuch", "no such DUT", []string{"old=" + program}},
		{"external", "cannot change its program", []string{"old=" + program}},
		{"wire", "is no UPF", []string{"old=" + program}},
		{"container:eupf", "in its image", []string{"old=" + program}},
		{"eupf", "write NAME=PROGRAM", []string{program}},
		{"eupf", "write NAME=PROGRAM", []string{"="}},
		{"eupf", "write NAME=PROGRAM", []string{"a:b=" + program}},
		{"eupf", "another build of that name", []string{"old=" + program, "old=eupf"}},
		{"eupf", "/nonexistent/eupf", []string{"old=/nonexistent/eupf"}},
	} {
		_, err := Builds(c.dut, "", c.builds, &scenario.Scenario{}, "v1")
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Count(err.Error(), "/nonexistent/eupf") > 1 {
			t.Errorf("%s %v: %v, want %q", c.dut, c.builds, err, c.says)
		}
	}
}
