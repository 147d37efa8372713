package bisect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/text/scratch"
)

// kind of the temporary folders with work trees, which are in a folder of the caller's below each.
const (
	kind  = "bisect"
	below = "trees"
)

// Worktrees are git work trees in a temporary folder. The folder itself stays upflab's, so that only what upflab
// made is removed; the work trees are the caller's.
type Worktrees struct {
	repo   *Repository
	folder *scratch.Folder
	dir    string
}

// NewWorktrees makes the folder, below the one for temporary files, and takes out of the repository's list the work
// trees of killed processes whose folder is removed; forgotten are those.
func NewWorktrees(ctx context.Context, repo *Repository) (w *Worktrees, forgotten []string, err error) {
	if forgotten, err = repo.forgetStale(ctx); err != nil {
		return nil, forgotten, err
	}
	w = &Worktrees{repo: repo}
	if w.folder, err = scratch.New(kind); err != nil {
		return nil, forgotten, err
	}
	w.dir = filepath.Join(w.folder.Path, below)
	// A UPF may run as somebody else.
	if err := errors.Join(os.Chmod(w.folder.Path, 0o755), os.Mkdir(w.dir, 0o755), repo.user.own(w.dir)); err != nil {
		return nil, forgotten, errors.Join(err, w.folder.Close())
	}
	return w, forgotten, nil
}

// Checkout makes the work tree of that name have a commit and nothing else, and gives its
// folder.
func (w *Worktrees) Checkout(ctx context.Context, name string, c Commit) (dir string, err error) {
	dir = filepath.Join(w.dir, name)
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		_, err = w.repo.git(ctx, "worktree", "add", "--quiet", "--detach", dir, c.ID)
		return dir, err
	}
	if _, err := w.repo.gitIn(ctx, dir, "checkout", "--quiet", "--force", "--detach", c.ID); err != nil {
		return dir, err
	}
	_, err = w.repo.gitIn(ctx, dir, "clean", "--quiet", "-ffdx") // what an earlier build left is not this one's
	return dir, err
}

// Close removes the work trees, also after an interruption, and where a build wrote as somebody else.
func (w *Worktrees) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	removed := w.folder.Close()
	_, err := w.repo.forgetStale(ctx)
	return errors.Join(removed, err)
}

// forgetStale takes work trees out of the repository's list that were in a temporary folder of a bisect which is
// gone. It removes no files: git does it, as the caller, and only where there are none.
func (r *Repository) forgetStale(ctx context.Context) (forgotten []string, err error) {
	trees, err := r.worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, tree := range trees {
		folder := filepath.Dir(filepath.Dir(tree))
		if !scratch.IsName(folder, kind) || tree != filepath.Join(folder, below, filepath.Base(tree)) {
			continue
		}
		if _, err := os.Lstat(folder); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if _, err := r.git(ctx, "worktree", "remove", "--force", tree); err != nil {
			return forgotten, fmt.Errorf("forget the work tree of a killed bisect: %w", err)
		}
		forgotten = append(forgotten, tree)
	}
	return forgotten, nil
}

// worktrees lists the folders of all work trees of the repository.
func (r *Repository) worktrees(ctx context.Context) (dirs []string, err error) {
	out, err := r.git(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		if dir, is := strings.CutPrefix(strings.TrimRight(line, "\n"), "worktree "); is {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}
