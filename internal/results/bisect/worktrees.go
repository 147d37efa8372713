package bisect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/text/safefile"
)

// prefix of the folders with work trees.
const prefix = "upflab-bisect-"

// Worktrees are git work trees in a folder of their own. The folder is locked as long as
// they are in use: those of a process that was killed are found by the missing lock.
type Worktrees struct {
	repo *Repository
	dir  string
	lock *os.File
}

// NewWorktrees makes the folder, below the one for temporary files, and removes what
// killed processes left in this repository; removed lists that.
func NewWorktrees(ctx context.Context, repo *Repository) (w *Worktrees, removed []string, err error) {
	if removed, err = cleanStale(ctx, repo); err != nil {
		return nil, removed, err
	}
	removed = append(removed, cleanFolders()...)
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, removed, fmt.Errorf("make a folder for work trees: %w", err)
	}
	w = &Worktrees{repo: repo, dir: dir}
	if err := errors.Join(os.Chmod(dir, 0o755), repo.user.own(dir)); err != nil { // a UPF may run as somebody else
		return nil, removed, errors.Join(err, os.RemoveAll(dir))
	}
	if w.lock, err = locked(dir); err != nil {
		return nil, removed, errors.Join(err, os.RemoveAll(dir))
	}
	return w, removed, nil
}

// locked takes the lock of a folder with work trees.
func locked(dir string) (*os.File, error) { return safefile.Lock(filepath.Join(dir, "lock")) }

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

// Close removes the work trees, also after an interruption.
func (w *Worktrees) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var errs []error
	trees, err := w.repo.worktrees(ctx)
	errs = append(errs, err)
	for _, tree := range trees {
		if filepath.Dir(tree) == w.dir {
			errs = append(errs, w.repo.removeWorktree(ctx, tree))
		}
	}
	return errors.Join(append(errs, os.RemoveAll(w.dir), w.lock.Close())...)
}

// cleanStale removes the work trees of processes that are gone.
func cleanStale(ctx context.Context, repo *Repository) (removed []string, err error) {
	trees, err := repo.worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, tree := range trees {
		dir := filepath.Dir(tree)
		if !strings.HasPrefix(filepath.Base(dir), prefix) {
			continue
		}
		lock, err := locked(dir)
		if errors.Is(err, safefile.ErrLocked) {
			continue
		}
		if err := repo.removeWorktree(ctx, tree); err != nil {
			return removed, fmt.Errorf("remove what a killed bisect left: %w", err)
		}
		removed = append(removed, tree)
		if lock != nil {
			lock.Close()
		}
		os.Remove(filepath.Join(dir, "lock")) // another tree of it may still be there
		os.Remove(dir)
	}
	return removed, nil
}

// settled is how old a folder is whose lock nobody is about to take any more.
const settled = time.Minute

// cleanFolders removes the folders of killed processes whose repository is another one, or
// is gone. git finds out by itself there.
func cleanFolders() (removed []string) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settled {
			continue
		}
		lock, err := locked(dir)
		if err != nil {
			continue
		}
		if os.RemoveAll(dir) == nil {
			removed = append(removed, dir)
		}
		lock.Close()
	}
	return removed
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

// removeWorktree removes one, also where a build wrote as somebody else or its folder is
// gone.
func (r *Repository) removeWorktree(ctx context.Context, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the work tree %s: %w", dir, err)
	}
	_, err := r.git(ctx, "worktree", "remove", "--force", dir)
	return err
}
