package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// TestLinksAreNotFollowed: what is written is a new file, and what the link names stays.
func TestLinksAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "upf.log")
	for what, link := range map[string]func() error{
		"symbolic": func() error { return os.Symlink(victim, path) },
		"hard":     func() error { return os.Link(victim, path) },
		"dangling": func() error { return os.Symlink(filepath.Join(dir, "new"), path) },
		"old file": func() error { return os.WriteFile(path, []byte("before"), 0o600) },
	} {
		os.Remove(path)
		must(t, os.WriteFile(victim, []byte("secret"), 0o600), link(), Write(path, []byte("log"), 0o644))
		info, err := os.Lstat(path)
		must(t, err)
		if !info.Mode().IsRegular() || info.Mode().Perm() != 0o644 || text(t, path) != "log" || text(t, victim) != "secret" {
			t.Errorf("%s link: %v, victim %q", what, info.Mode(), text(t, victim))
		}
		if _, err := os.Lstat(filepath.Join(dir, "new")); err == nil {
			t.Errorf("%s link: its target was made", what)
		}
	}
}

// TestOthersStay: a pipe and a folder are refused and stay.
func TestOthersStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	must(t, unix.Mkfifo(path, 0o600))
	if err := Write(path, nil, 0o644); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	if _, err := Read(path, 10); !errors.Is(err, ErrNotRegular) {
		t.Errorf("reading a pipe: %v", err)
	}
	must(t, os.Remove(path), os.Mkdir(path, 0o755))
	if err := Write(path, nil, 0o644); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error("the folder is gone")
	}
}

// TestFoldersOfOthers: another user's link on the way is refused, also where it is made
// between two files; root's own is followed.
func TestFoldersOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: it makes links of another user")
	}
	t.Setenv("SUDO_UID", "")
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	must(t, os.Mkdir(target, 0o755), os.Symlink("target", link))
	must(t, Write(filepath.Join(link, "a"), []byte("1"), 0o644), MakeFolder(filepath.Join(link, "b", "c"), 0o755))
	if text(t, filepath.Join(target, "a")) != "1" {
		t.Error("root's link was not followed")
	}
	must(t, os.Lchown(link, 1234, 1234))
	if err := Write(filepath.Join(link, "a"), []byte("2"), 0o644); err == nil {
		t.Error("another user's link was followed")
	}
	if err := MakeFolder(filepath.Join(link, "d"), 0o755); err == nil {
		t.Error("a folder was made behind another user's link")
	}
	if text(t, filepath.Join(target, "a")) != "1" {
		t.Error("a file behind another user's link was written to")
	}
	t.Setenv("SUDO_UID", "1234")
	must(t, Write(filepath.Join(link, "a"), []byte("3"), 0o644))
}

// TestReopen: only the file itself is opened again.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	path, victim := filepath.Join(dir, "log"), filepath.Join(dir, "victim")
	must(t, Write(path, []byte("a"), 0o644), os.WriteFile(victim, []byte("secret"), 0o600))
	f, err := Reopen(path)
	must(t, err)
	f.WriteString("b")
	f.Close()
	if got := text(t, path); got != "ab" {
		t.Errorf("%q", got)
	}
	for _, link := range []func(string, string) error{os.Symlink, os.Link} {
		must(t, os.Remove(path), link(victim, path))
		if _, err := Reopen(path); !errors.Is(err, ErrReplaced) {
			t.Errorf("a link: %v", err)
		}
	}
}

// TestReadHasALimit: nothing of a file that is too large is read.
func TestReadHasALimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	must(t, os.WriteFile(path, []byte("12345"), 0o600))
	if b, err := Read(path, 5); err != nil || string(b) != "12345" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := Read(path, 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

func TestFreeBytes(t *testing.T) {
	if n := FreeBytes(t.TempDir()); n < 0 {
		t.Errorf("%d", n)
	}
	if n := FreeBytes(t.TempDir() + "/nowhere"); n != -1 {
		t.Errorf("of a folder that is not there: %d", n)
	}
}
