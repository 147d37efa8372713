package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestFigures: the figures of a stored result are files, and the result stays as it is.
func TestFigures(t *testing.T) {
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "paper", "figures")
	raw, err := os.ReadFile("../report/render/testdata/sweep.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "result.json"), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	status, out, errors := typed("report", dir, "--figures", folder)
	if status != 0 || !strings.Contains(out, "figure-percentiles-p99.svg") {
		t.Fatalf("status %d: %s%s", status, out, errors)
	}
	for _, name := range []string{"figure-percentiles-p99.svg", "captions.md"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files next to the result, of which there was one", len(files))
	}
}

func TestFiguresOfBadInput(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "result.json"), []byte(`{"schema":"upflab.result/v1","duts":[]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for why, c := range map[string]struct {
		dir, folder string
		status      int
		want        string
	}{
		"no result":        {"/nowhere", "x", exit.Usage, "/nowhere"},
		"nothing measured": {dir, filepath.Join(dir, "figures"), exit.Failed, "no figure"},
		"not a folder":     {"../report/render/testdata/sweep.json", "/dev/null/figures", exit.Failed, "/dev/null"},
	} {
		if status, _, errors := typed("report", c.dir, "--figures", c.folder); status != c.status || !strings.Contains(errors, c.want) {
			t.Errorf("%s: status %d, %q; want %q", why, status, errors, c.want)
		}
	}
}
