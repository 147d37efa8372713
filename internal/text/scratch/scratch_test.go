package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOneWay: every temporary folder that a process may leave is made here, or Clean does not find it.
func TestOneWay(t *testing.T) {
	const top = "../../.."
	for _, dir := range []string{"internal", "cmd", "upf"} {
		must(t, filepath.WalkDir(filepath.Join(top, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "scratch.go" {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), `os.MkdirTemp("",`) || strings.Contains(string(text), `os.CreateTemp("",`) {
				t.Errorf("%s makes a temporary folder: use scratch.New", path)
			}
			return err
		}))
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// killed gives a folder of a process that was killed: the kernel has dropped its lock.
func killed(t *testing.T) string {
	t.Helper()
	f, err := New("test")
	must(t, err)
	must(t, f.Abandon())
	must(t, os.MkdirAll(filepath.Join(f.Path, "deep", "er"), 0o755), os.WriteFile(filepath.Join(f.Path, "deep", "file"), nil, 0o644))
	return f.Path
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestCleanRemovesOfKilled: the folder of a process that is gone goes, that of a live one stays until it is closed.
func TestCleanRemovesOfKilled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	old := killed(t)
	live, err := New("test")
	must(t, err, os.WriteFile(filepath.Join(live.Path, "file"), nil, 0o644))
	removed, err := Clean()
	must(t, err)
	if !slices.Equal(removed, []string{old}) || isThere(old) {
		t.Errorf("%v were removed, not %s", removed, old)
	}
	if !isThere(filepath.Join(live.Path, "file")) {
		t.Error("the folder of a live process was removed")
	}
	must(t, live.Close())
	if isThere(live.Path) {
		t.Error("a closed folder is left")
	}
}

// TestCleanLeavesOthers: what merely has such a name stays, with every file in it, and none is made.
func TestCleanLeavesOthers(t *testing.T) {
	tmp, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("SUDO_UID", "1234")
	foreign := func(string) error { return nil }
	if os.Geteuid() == 0 {
		foreign = func(path string) error { return os.Lchown(path, 1234, 1234) }
	}
	marked := func(dir string) string { return filepath.Join(dir, markFile) }
	victim := filepath.Join(elsewhere, "upflab-test-victim")
	must(t, os.Mkdir(victim, 0o755), os.WriteFile(marked(victim), []byte(mark), 0o600))
	cases := map[string]func(dir string) error{
		"without a mark": func(string) error { return nil },
		"a lock alone":   func(dir string) error { return os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600) },
		"an empty mark":  func(dir string) error { return os.WriteFile(marked(dir), nil, 0o600) },
		"another mark":   func(dir string) error { return os.WriteFile(marked(dir), []byte(mark+"x"), 0o600) },
		"that all can lock": func(dir string) error {
			return errors.Join(os.WriteFile(marked(dir), []byte(mark), 0o600), os.Chmod(marked(dir), 0o666))
		},
		"a linked mark": func(dir string) error { return os.Symlink(marked(victim), marked(dir)) },
		"a second name": func(dir string) error {
			return errors.Join(os.WriteFile(dir+".mark", []byte(mark), 0o600), os.Link(dir+".mark", marked(dir)))
		},
		"a pipe":   func(dir string) error { return unix.Mkfifo(marked(dir), 0o600) },
		"a folder": func(dir string) error { return os.Mkdir(marked(dir), 0o700) },
	}
	if os.Geteuid() == 0 {
		cases["another user's"] = func(dir string) error {
			return errors.Join(os.WriteFile(marked(dir), []byte(mark), 0o600), foreign(dir))
		}
		cases["another user's mark"] = func(dir string) error {
			return errors.Join(os.WriteFile(marked(dir), []byte(mark), 0o600), foreign(marked(dir)))
		}
	}
	var kept []string
	for what, plant := range cases {
		dir, err := os.MkdirTemp("", prefix+"test-")
		must(t, err, os.WriteFile(filepath.Join(dir, "theirs"), nil, 0o644))
		if err := plant(dir); err != nil {
			t.Fatal(what, err)
		}
		kept = append(kept, filepath.Join(dir, "theirs"))
	}
	link := filepath.Join(tmp, prefix+"test-link")
	must(t, os.Symlink(victim, link), os.WriteFile(filepath.Join(tmp, prefix+"file"), nil, 0o644))
	kept = append(kept, link, marked(victim), filepath.Join(tmp, prefix+"file"))
	before, err := filepath.Glob(filepath.Join(tmp, "*", "*"))
	must(t, err)
	removed, err := Clean()
	if err != nil || len(removed) > 0 {
		t.Errorf("%v were removed, %v", removed, err)
	}
	for _, path := range kept {
		if !isThere(path) {
			t.Errorf("%s was removed", path)
		}
	}
	after, err := filepath.Glob(filepath.Join(tmp, "*", "*"))
	must(t, err)
	if !slices.Equal(before, after) {
		t.Errorf("there were %v and are %v", before, after)
	}
}

// TestCleanFollowsNoLinks: what links in the folder of a killed process lead to stays.
func TestCleanFollowsNoLinks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	victim := t.TempDir()
	file := filepath.Join(victim, "file")
	must(t, os.WriteFile(file, nil, 0o644))
	dir := killed(t)
	must(t, os.Symlink(victim, filepath.Join(dir, "link")), os.Symlink(victim, filepath.Join(dir, "deep", "link")))
	removed, err := Clean()
	if err != nil || len(removed) != 1 || isThere(dir) {
		t.Errorf("%v were removed, %v", removed, err)
	}
	if !isThere(file) {
		t.Error("a link was followed")
	}
}
