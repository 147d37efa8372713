package drivers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// withEUPF puts a program called eupf, or none, into PATH.
func withEUPF(t *testing.T, installed bool) {
	t.Helper()
	dir := t.TempDir()
	if installed {
		if err := os.WriteFile(filepath.Join(dir, "eupf"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("UPFLAB_EUPF", "")
}

func TestTargets(t *testing.T) {
	withEUPF(t, true)
	for _, c := range []struct {
		why      string
		names    []string
		external bool
		want     []string
	}{
		{"a wire goes before", []string{"builtin"}, false, []string{"wire", "builtin:xdp"}},
		{"a mode", []string{"builtin:xdp-generic"}, false, []string{"wire", "builtin:xdp-generic"}},
		{"the order is the user's", []string{"eupf:generic", "builtin"}, false, []string{"wire", "eupf:generic", "builtin:xdp"}},
		{"one UPF in two modes", []string{"eupf", "eupf:generic"}, false, []string{"wire", "eupf:native", "eupf:generic"}},
		{"a wire that is asked for", []string{"builtin", "wire"}, false, []string{"wire", "builtin:xdp"}},
		{"nothing but a wire", nil, false, []string{"wire"}},
		{"elsewhere there is no wire", []string{"external"}, true, []string{"external"}},
	} {
		s := &scenario.Scenario{}
		if c.external {
			s.External = &scenario.External{Dialect: "standard"}
		}
		targets, err := Targets(c.names, s, "v1.2.3")
		var got []string
		for _, target := range targets {
			got = append(got, target.Label())
			if name := target.Name(); (name == "wire" || name == "builtin") && target.Version != "v1.2.3" {
				t.Errorf("%s: %s has version %q", c.why, name, target.Version)
			}
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.why, got, err, c.want)
		}
	}
}

// testdata/errors.txt holds a command's names and the error, line by line.
func TestTargetErrors(t *testing.T) {
	withEUPF(t, false)
	text, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		names, want, _ := strings.Cut(strings.TrimSpace(line), " => ")
		want = strings.ReplaceAll(want, `\n`, "\n")
		_, err := Targets(strings.Fields(names), &scenario.Scenario{}, "v1")
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", names, err, want)
		}
	}
}

// What `upflab dut list` shows of each is there.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range List("v1") {
		i := d.Info()
		if i.Name == "" || i.Summary == "" || i.Docs == "" || i.Verified == "" || seen[i.Name] {
			t.Errorf("%+v", i)
		}
		seen[i.Name] = true
	}
}
