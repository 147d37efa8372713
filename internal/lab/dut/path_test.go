package dut

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLookIn(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for file, mode := range map[string]os.FileMode{filepath.Join(a, "x"): 0o644, filepath.Join(b, "x"): 0o755} {
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	path := a + ":" + b
	for _, c := range []struct {
		path, name string
		program    bool
		want       string
	}{
		{path, "x", true, filepath.Join(b, "x")},
		{path, "x", false, filepath.Join(a, "x")},
		{path, "y", false, ""},
		{"::" + b, "x", true, filepath.Join(b, "x")},
		{"", "x", true, ""},
	} {
		if got := LookIn(c.path, c.name, c.program); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.name, c.path, got, c.want)
		}
	}
}
