package bisect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/units"
)

// Program is a build that can be measured.
type Program struct {
	Commit Commit
	// Value names it to its driver: a path, or a command.
	Value string
	// Layout identifies the machine code as it lies in the program; "": it is not known, as of a script.
	Layout string
}

// Builder gives the program of a commit.
type Builder interface {
	// Build builds a commit in the work tree of that name. A commit that does not build
	// gives a BuildError. Each layout, 0 and up, asks for another place of the same code in the program,
	// as far as the build can do that.
	Build(ctx context.Context, tree string, c Commit, layout int) (Program, error)
}

// BuildError is a commit that does not build, or whose UPF does not run.
type BuildError struct{ Why string }

// Error implements error: it gives the text for the user.
func (e BuildError) Error() string { return e.Why }

// Command builds by a command of the user's.
type Command struct {
	Trees *Worktrees
	Claim *host.Claim // lists the build while it runs, with all that it starts
	Args  []string    // run in the work tree
	// Program is where the build is then: a path within the work tree, or words with {}
	// for the work tree's folder.
	Program string
	Logs    string // folder for its output
}

// Build implements Builder: it checks the commit out and runs the command that builds it.
func (b Command) Build(ctx context.Context, tree string, c Commit, layout int) (Program, error) {
	dir, err := b.Trees.Checkout(ctx, tree, c)
	if err != nil {
		return Program{}, err
	}
	name := "build-" + c.Short()
	if layout > 0 {
		name += fmt.Sprintf("-layout%d", layout)
	}
	log := filepath.Join(b.Logs, name+".log")
	if err := b.run(ctx, dir, log, append(layoutVariables(layout, os.Getenv("GOFLAGS")), "UPFLAB_COMMIT="+c.ID)); err != nil {
		return Program{}, err
	}
	p := Program{Commit: c, Value: b.value(dir)}
	var programs []string
	for _, file := range filepath.SplitList(p.Value) {
		words := strings.Fields(file)
		if len(words) == 0 || !strings.HasPrefix(words[len(words)-1], dir) {
			continue
		}
		if _, err := os.Stat(words[len(words)-1]); err != nil {
			return Program{}, BuildError{fmt.Sprintf("the build ended with status 0, and there is no %s: %s",
				strings.TrimPrefix(words[len(words)-1], dir+"/"), log)}
		}
		programs = append(programs, words[len(words)-1])
	}
	p.Layout = layoutOf(programs)
	return p, nil
}

// value is the program as its driver takes it.
func (b Command) value(dir string) string {
	if strings.Contains(b.Program, "{}") {
		return strings.ReplaceAll(b.Program, "{}", dir)
	}
	return filepath.Join(dir, b.Program)
}

// run runs the command in the work tree, and ends all that it started when it has ended or
// ctx has.
func (b Command) run(ctx context.Context, dir, log string, variables []string) error {
	out, err := safefile.Create(log, 0o644)
	if err != nil {
		return fmt.Errorf("make the log of the build: %w", err)
	}
	defer out.Close()
	u := b.Trees.repo.user
	c := exec.CommandContext(ctx, b.Args[0], b.Args[1:]...)
	c.Dir, c.Stdout, c.Stderr = dir, out, out
	c.Env = append(append(u.environment(), "PWD="+dir), variables...)
	c.SysProcAttr = u.attributes()
	c.SysProcAttr.Pdeathsig = syscall.SIGKILL
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	err = b.complete(c)
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &status):
		return BuildError{fmt.Sprintf("it does not build (%s): %s ends %q", status, log, lastLine(log))}
	case err != nil:
		return fmt.Errorf("run the build command: %w", err)
	}
	return nil
}

func (b Command) complete(c *exec.Cmd) error {
	child, err := b.Claim.Launch(c, nil)
	if err != nil {
		return err
	}
	return errors.Join(child.Wait(), child.Left())
}

// lastLine is the end of a build's log, at most 200 bytes.
func lastLine(log string) string {
	text, err := os.ReadFile(log)
	if err != nil {
		return ""
	}
	last := units.LastLine(string(text))
	return last[:min(len(last), 200)]
}
