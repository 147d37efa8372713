package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/results/store"
)

func TestReportRendersAgain(t *testing.T) {
	dir := t.TempDir()
	if err := store.Save(dir, clitest.Stored(t)); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{dir, filepath.Join(dir, store.FileName)} {
		os.Remove(filepath.Join(dir, "report.md"))
		os.Remove(filepath.Join(dir, "report.html"))
		status, out, errors := typed("report", arg)
		if status != 0 || !strings.Contains(out, "builtin:xdp") || !strings.HasSuffix(out, filepath.Join(dir, "report.html")+"\n") {
			t.Errorf("report %s: status %d\n%s%s", arg, status, out, errors)
		}
		clitest.CheckReports(t, dir)
	}
}

func TestReportOfSomethingElse(t *testing.T) {
	dir := t.TempDir()
	for text, says := range map[string]string{
		"":                          store.FileName,
		"{":                         store.FileName,
		`{"schema":"something/v9"}`: "something/v9",
	} {
		if err := os.WriteFile(filepath.Join(dir, store.FileName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		status, out, errors := typed("report", dir)
		if status != exit.Usage || out != "" || !strings.Contains(errors, says) {
			t.Errorf("%q: status %d, says %q %q", text, status, out, errors)
		}
	}
}

// A report of root's must not write through somebody's symbolic link.
func TestReportFollowsNoSymlink(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "passwd")
	if err := errors.Join(os.WriteFile(outside, []byte("precious"), 0o600),
		os.Symlink(outside, filepath.Join(dir, "report.html"))); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(dir, block.Document{}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "precious" {
		t.Errorf("the file outside has %q, %v", b, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "report.html")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the report is %v, %v", info, err)
	}
}
