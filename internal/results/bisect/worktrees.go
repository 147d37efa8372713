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
// trees of killed processes whose folder is removed; notices say which, and which of them it could not take out.
func NewWorktrees(ctx context.Context, repo *Repository) (w *Worktrees, notices []string, err error) {
	notices = repo.forgetKilled(ctx)
	w = &Worktrees{repo: repo}
	if w.folder, err = scratch.New(kind); err != nil {
		return nil, notices, err
	}
	folder, err := filepath.EvalSymlinks(w.folder.Path) // as git lists it
	if err == nil {
		w.dir = filepath.Join(folder, below)
		// A UPF may run as somebody else.
		err = errors.Join(os.Chmod(w.folder.Path, 0o755), os.Mkdir(w.dir, 0o755), repo.user.own(w.dir))
	}
	if err != nil {
		return nil, notices, errors.Join(err, w.folder.Close())
	}
	return w, notices, nil
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
	trees, err := w.repo.stale(ctx)
	errs := []error{removed, err}
	for _, tree := range trees {
		if filepath.Dir(tree) == w.dir {
			errs = append(errs, w.repo.forget(ctx, tree))
		}
	}
	return errors.Join(errs...)
}

// forgetKilled takes stale work trees out of the repository's list, as far as it can, and says so.
func (r *Repository) forgetKilled(ctx context.Context) (notices []string) {
	trees, err := r.stale(ctx)
	if err != nil {
		notices = append(notices, fmt.Sprintf("what killed bisects left in the repository is not known: %v", err))
	}
	for _, tree := range trees {
		if err := r.forget(ctx, tree); err != nil {
			notices = append(notices, fmt.Sprintf("what a killed bisect left stays in the repository's list: %v", err))
		} else {
			notices = append(notices, "removed what a killed bisect left: work tree "+tree)
		}
	}
	return notices
}

// stale lists work trees that were in a temporary folder of a bisect which is gone.
func (r *Repository) stale(ctx context.Context) (stale []string, err error) {
	trees, err := r.worktrees(ctx)
	for _, tree := range trees {
		folder := filepath.Dir(filepath.Dir(tree))
		if !scratch.IsName(folder, kind) || tree != filepath.Join(folder, below, filepath.Base(tree)) {
			continue
		}
		if _, err := os.Lstat(folder); errors.Is(err, os.ErrNotExist) {
			stale = append(stale, tree)
		}
	}
	return stale, err
}

// forget takes a work tree whose folder is gone out of the repository's list. It removes no files: git does it, as
// the caller, and only where there are none. Forced once, git keeps a tree that it was killed in the making of.
func (r *Repository) forget(ctx context.Context, tree string) error {
	_, err := r.git(ctx, "worktree", "remove", "--force", "--force", tree)
	return err
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
