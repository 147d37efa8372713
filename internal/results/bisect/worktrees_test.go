package bisect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/text/scratch"
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
	if _, err := b.Build(ctx, otherTree, l.named(repo, "c1")); !errors.As(err, &broken) ||
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
	if _, err := b.Build(ctx, otherTree, l.named(repo, "c0")); !errors.Is(err, context.DeadlineExceeded) {
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
