package bisect

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Repository is a git repository of the user's. Nothing in it is checked out or changed:
// commits are built in work trees elsewhere.
type Repository struct {
	Dir  string // its top folder, or that of a bare one
	user user
}

// OpenRepository finds the repository that a folder is in. git and builds run as the user
// who called sudo, where somebody did.
func OpenRepository(ctx context.Context, dir string) (*Repository, error) {
	u, err := caller()
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", dir, err)
	}
	r := &Repository{Dir: absolute, user: u}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("git is needed: %w", err)
	}
	top, err := r.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		if top, err = r.git(ctx, "rev-parse", "--absolute-git-dir"); err != nil { // a bare one has no top
			return nil, fmt.Errorf("%s is in no git repository: name one with --repo: %w", absolute, err)
		}
	}
	r.Dir = strings.TrimSpace(top)
	return r, nil
}

// gitEnds is how long a git command may take to end once it was told to.
const gitEnds = 5 * time.Second

// git runs a git command in the repository and gives its output. Hooks are not run.
func (r *Repository) git(ctx context.Context, args ...string) (string, error) {
	return r.gitIn(ctx, r.Dir, args...)
}

func (r *Repository) gitIn(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null"}, args...)...)
	var out, complaints bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &out, &complaints
	c.Env = r.user.environment()
	c.SysProcAttr = r.user.attributes()
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) } // it removes what it has half made
	c.WaitDelay = gitEnds
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(complaints.String()))
	}
	return out.String(), nil
}

// Commit is the one that a user names.
func (r *Repository) Commit(ctx context.Context, ref string) (Commit, error) {
	id, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return Commit{}, fmt.Errorf("%s has no commit %q: name one as git does, a tag, a branch or an ID", r.Dir, ref)
	}
	return r.describe(ctx, strings.TrimSpace(id))
}

func (r *Repository) describe(ctx context.Context, id string) (Commit, error) {
	text, err := r.git(ctx, "log", "-1", "--no-show-signature", "--format=%H%x00%s%x00%an%x00%cI", id)
	if err != nil {
		return Commit{}, err
	}
	fields := strings.Split(strings.TrimSpace(text), "\x00")
	if len(fields) != 4 {
		return Commit{}, fmt.Errorf("git log of %s gives %q", id, text)
	}
	at, err := time.Parse(time.RFC3339, fields[3])
	if err != nil {
		return Commit{}, fmt.Errorf("git log of %s: %w", id, err)
	}
	return Commit{ID: fields[0], Subject: fields[1], Author: fields[2], Time: at}, nil
}

// isAncestor reports whether all of old is in new.
func (r *Repository) isAncestor(ctx context.Context, old, new Commit) bool {
	_, err := r.git(ctx, "merge-base", "--is-ancestor", old.ID, new.ID)
	return err == nil
}

// suspects are the commits that are in bad and in none of the good ones, those first that
// divide them best. bad is one of them.
func (r *Repository) suspects(ctx context.Context, bad Commit, good []Commit) (ids []string, err error) {
	args := []string{"rev-list", "--bisect-all", bad.ID}
	for _, g := range good {
		args = append(args, "^"+g.ID)
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		id, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		ids = append(ids, id)
	}
	return ids, nil
}

// environment is ours, without what would lead git to another repository.
func (u user) environment() (list []string) {
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX":
			continue
		}
		list = append(list, e)
	}
	return append(list, u.Environment()...)
}
