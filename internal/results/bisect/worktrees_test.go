package bisect

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/text/scratch"
	"github.com/upflab/upflab/internal/text/wait"
)

// TestStaleWorktrees: what a killed process left goes with the next start, and what a
// live one has stays.
func TestStaleWorktrees(t *testing.T) {
	l := newLab(t)
	l.commit("c0", 1, true)
	ctx := context.Background()
	clean := l.state()
	repo, err := OpenRepository(ctx, l.dir)
	if err != nil {
		t.Fatal(err)
	}
	open := func() *Worktrees {
		w, forgotten, err := NewWorktrees(ctx, repo)
		if err != nil || len(forgotten) > 0 {
			t.Fatal(forgotten, err)
		}
		return w
	}
	killed, live := open(), open()
	for _, w := range []*Worktrees{killed, live} {
		for _, name := range []string{goodTree, otherTree} {
			if _, err := w.Checkout(ctx, name, l.named(repo, "c0")); err != nil {
				t.Fatal(err)
			}
		}
	}
	killed.folder.Abandon()                                                    // as the kernel does
	if err := os.RemoveAll(filepath.Join(killed.dir, otherTree)); err != nil { // somebody emptied /tmp
		t.Fatal(err)
	}
	if _, err := scratch.Clean(); err != nil {
		t.Fatal(err)
	}
	w, forgotten, err := NewWorktrees(ctx, repo)
	if err != nil || len(forgotten) != 2 {
		t.Fatalf("%v forgotten, %v", forgotten, err)
	}
	if _, err := os.Stat(killed.folder.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", killed.dir, err)
	}
	if _, err := os.Stat(filepath.Join(live.dir, goodTree, "rate")); err != nil {
		t.Errorf("what a live one has: %v", err)
	}
	if err := errors.Join(w.Close(), live.Close()); err != nil {
		t.Error(err)
	}
	if after := l.state(); after != clean {
		t.Errorf("the repository was\n%s\nand is\n%s", clean, after)
	}
}

// TestTreeKilledInTheMaking: git locks a work tree while it makes it. One that was killed meanwhile goes, too.
func TestTreeKilledInTheMaking(t *testing.T) {
	l := newLab(t)
	l.commit("c0", 1, true)
	clean := l.state()
	repo, err := OpenRepository(t.Context(), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	killed, _, err := NewWorktrees(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := killed.Checkout(t.Context(), otherTree, l.named(repo, "c0")); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(l.dir, ".git", "worktrees", otherTree, "locked")
	if err := errors.Join(os.WriteFile(lock, []byte("initializing"), 0o644), killed.folder.Abandon()); err != nil {
		t.Fatal(err)
	}
	if _, err := scratch.Clean(); err != nil {
		t.Fatal(err)
	}
	w, notices, err := NewWorktrees(t.Context(), repo)
	if err != nil || len(notices) != 1 || !strings.HasPrefix(notices[0], "removed ") {
		t.Fatalf("%q, %v", notices, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if after := l.state(); after != clean {
		t.Errorf("the repository was\n%s\nand is\n%s", clean, after)
	}
}

// TestTreeThatStays: a work tree that git does not take out of its list is a notice, and no bisect ends for it.
func TestTreeThatStays(t *testing.T) {
	l := newLab(t)
	l.commit("c0", 1, true)
	repo, err := OpenRepository(t.Context(), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	killed, _, err := NewWorktrees(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := killed.Checkout(t.Context(), otherTree, l.named(repo, "c0")); err != nil {
		t.Fatal(err)
	}
	if err := killed.folder.Close(); err != nil {
		t.Fatal(err)
	}
	// A git that refuses to remove a work tree.
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	script := "#!/bin/sh\ncase \"$*\" in *'worktree remove'*) echo 'it is in use' >&2; exit 1; esac\nexec " + git + " \"$@\"\n"
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+path)
	w, notices, err := NewWorktrees(t.Context(), repo)
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "stays") || !strings.Contains(notices[0], "it is in use") {
		t.Fatalf("%q, %v", notices, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestGitEndsOrderly: a git command whose bisect is interrupted removes what it has half made.
func TestGitEndsOrderly(t *testing.T) {
	l := newLab(t)
	l.commit("c0", 1, true)
	clean := l.git("worktree", "list")
	began := filepath.Join(t.TempDir(), "began")
	l.git("config", "filter.slow.smudge", "touch "+began+"; exec sleep 60")
	if err := os.WriteFile(filepath.Join(l.dir, ".git", "info", "attributes"), []byte("rate filter=slow\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	repo, err := OpenRepository(t.Context(), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := NewWorktrees(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := w.Checkout(ctx, otherTree, l.named(repo, "c0"))
		done <- err
	}()
	isThere := func() bool { _, err := os.Stat(began); return err == nil }
	if !wait.Until(20*time.Second, 10*time.Millisecond, isThere) {
		t.Error("git does not make the work tree")
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("it was made all the same")
	}
	if after := l.git("worktree", "list"); after != clean {
		t.Errorf("the work trees were\n%s\nand are\n%s", clean, after)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestTemporaryFolderByALink: git lists where links lead. Work trees go also where the temporary folder is named
// by a link.
func TestTemporaryFolderByALink(t *testing.T) {
	l := newLab(t)
	l.commit("c0", 1, true)
	clean := l.state()
	link := filepath.Join(t.TempDir(), "tmp")
	if err := os.Symlink(os.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", link)
	repo, err := OpenRepository(t.Context(), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []func(*Worktrees) error{(*Worktrees).Close, func(w *Worktrees) error { return w.folder.Close() }} {
		w, _, err := NewWorktrees(t.Context(), repo)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := w.Checkout(t.Context(), otherTree, l.named(repo, "c0")); err != nil {
				t.Fatal(err)
			}
		}
		if err := end(w); err != nil {
			t.Fatal(err)
		}
	}
	w, notices, err := NewWorktrees(t.Context(), repo)
	if err != nil || len(notices) != 1 || !strings.HasPrefix(notices[0], "removed ") {
		t.Fatalf("%q, %v", notices, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if after := l.state(); after != clean {
		t.Errorf("the repository was\n%s\nand is\n%s", clean, after)
	}
}

// TestTreesOfOthers: a repository's list, whoever wrote it, and a name lead to nothing that upflab removes: neither
// folders of other users and purposes, nor work trees of the user's own.
func TestTreesOfOthers(t *testing.T) {
	l := newLab(t)
	l.commit("c0", 1, true)
	ctx := context.Background()
	repo, err := OpenRepository(ctx, l.dir)
	if err != nil {
		t.Fatal(err)
	}
	made := func(parts ...string) string {
		dir := filepath.Join(parts...)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "theirs")
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	secret, links := t.TempDir(), t.TempDir()
	kept := []string{
		made(os.TempDir(), "upflab-bisect-1"),                   // another user's
		made(os.TempDir(), "upflab-bisect-out"),                 // a folder of results
		made(os.TempDir(), "upflab-bisect-2", below, otherTree), // without its repository
		made(secret, otherTree),
	}
	// A work tree of the user's own, in a folder of such a name.
	own := filepath.Join(t.TempDir(), "upflab-bisect-own", "tree")
	l.git("worktree", "add", "--quiet", "--detach", own)
	kept = append(kept, filepath.Join(own, "rate"))
	// The list leads out of the temporary folder, by links.
	for i, target := range []string{filepath.Join(links, "upflab-bisect-3"), filepath.Join(os.TempDir(), "upflab-bisect-3")} {
		if err := os.Symlink(secret, target); err != nil {
			t.Fatal(err)
		}
		entry := filepath.Join(l.dir, ".git", "worktrees", "planted"+string(rune('0'+i)))
		if err := os.MkdirAll(entry, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"gitdir": filepath.Join(target, otherTree, ".git"), "commondir": "../..", "HEAD": l.git("rev-parse", "c0"),
		} {
			if err := os.WriteFile(filepath.Join(entry, name), []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := scratch.Clean(); err != nil {
		t.Fatal(err)
	}
	w, forgotten, err := NewWorktrees(ctx, repo)
	if err != nil || len(forgotten) > 0 {
		t.Fatal(forgotten, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	for _, file := range kept {
		if _, err := os.Lstat(file); err != nil {
			t.Errorf("it was removed: %v", err)
		}
	}
	for _, name := range []string{"lock", filepath.Join(otherTree, "lock")} {
		if _, err := os.Lstat(filepath.Join(secret, name)); err == nil {
			t.Errorf("%s was made where a link leads", name)
		}
	}
}

// TestCheckoutIsClean: nothing of an earlier build is left, even what git ignores.
func TestCheckoutIsClean(t *testing.T) {
	l := newLab(t)
	if err := os.WriteFile(filepath.Join(l.dir, ".gitignore"), []byte("built\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l.commit("c0", 1, true)
	l.commit("c1", 2, true)
	ctx := context.Background()
	repo, err := OpenRepository(ctx, l.dir)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := NewWorktrees(ctx, repo)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	dir, err := w.Checkout(ctx, otherTree, l.named(repo, "c0"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"built", "rate", "new"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("9"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Checkout(ctx, otherTree, l.named(repo, "c1")); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"built": "", "new": "", "rate": "2"} {
		if text, _ := os.ReadFile(filepath.Join(dir, file)); string(text) != want {
			t.Errorf("%s has %q, not %q", file, text, want)
		}
	}
	// A build that leaves no program is none.
	b := Command{Trees: w, Claim: claim(t), Args: []string{"true"}, Program: "built", Logs: t.TempDir()}
	var broken BuildError
	if _, err := b.Build(ctx, otherTree, l.named(repo, "c1"), 0); !errors.As(err, &broken) ||
		!strings.Contains(err.Error(), "there is no built") {
		t.Errorf("a build without a program: %v", err)
	}
	if got := (Command{Program: "perf record {}/upf"}).value("/w"); got != "perf record /w/upf" {
		t.Error(got)
	}
}

// TestBuildEndsWithUs: an interrupted build and what it started end.
func TestBuildEndsWithUs(t *testing.T) {
	l := newLab(t)
	l.commit("c0", 1, true)
	repo, err := OpenRepository(context.Background(), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := NewWorktrees(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	began := time.Now()
	pids := filepath.Join(t.TempDir(), "pid")
	build := "setsid sh -c 'echo $$ >" + pids + "; exec sleep 86400' & sleep 60"
	b := Command{Trees: w, Claim: claim(t), Args: []string{"sh", "-c", build}, Program: "built", Logs: t.TempDir()}
	if _, err := b.Build(ctx, otherTree, l.named(repo, "c0"), 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v to end", took)
	}
	// What the build has detached from itself has ended, too.
	pid, err := os.ReadFile(pids)
	stat, _ := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
	if err != nil || len(stat) > 0 && !strings.Contains(string(stat), ") Z ") { // nobody may have waited for it yet
		t.Errorf("process %q of the build is left (%v)", pid, err)
	}
}

// claim is a list of its own for the processes of builds.
func claim(t *testing.T) *host.Claim {
	t.Helper()
	c, err := host.NewClaimIn(t.TempDir(), host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}
