package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// recordName is the file in a result's folder that says which job it is of.
const recordName = "job.json"

// collected is what it says.
type collected struct {
	Job fleet.Job `json:"job"`
	Run fleet.Run `json:"run"`
}

// Folder is where the result of a job goes, below the store of results.
func Folder(out string, j fleet.Job) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, j.Name), "-.")
	const most, unique = 80, 7
	return filepath.Join(out, j.Campaign, name[:min(len(name), most)]+"-"+j.ID[:min(len(j.ID), unique)])
}

// has reports whether the result of a job, or the log of one that failed, is in the store.
func has(out string, j fleet.Job) (fleet.Run, bool) {
	var c collected
	data, err := os.ReadFile(filepath.Join(Folder(out, j), recordName))
	if err != nil || json.Unmarshal(data, &c) != nil || c.Job.ID != j.ID {
		return fleet.Run{}, false
	}
	return c.Run, true
}

// refusedError is a result that is not what was asked for.
type refusedError struct{ error }

// errGone is a result that the hub no longer has.
var errGone = errors.New("its result is not at the hub any more: it was collected into another folder")

// collect brings the result of a job from the hub into the store. It is there whole or
// not at all. A *refusedError says that it is not a result of that job. left describes the agent's files
// that runs do not write, which are not kept; "" when there were none.
func collect(ctx context.Context, c *fleet.Conn, out string, p *fleet.Plan, j fleet.Job, r fleet.Run) (left string, err error) {
	to := Folder(out, j)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", fmt.Errorf("make the folder of results: %w", err)
	}
	aside, done, err := setAside(filepath.Dir(to))
	if err != nil {
		return "", fmt.Errorf("make the folder of a result: %w", err)
	}
	defer done()
	job := filepath.Join(aside, "job")
	if left, err = fetch(ctx, c, r, job); err != nil {
		return "", err
	}
	if err := verify(filepath.Join(job, resultFolder), p, collected{j, r}); err != nil {
		return "", blame(err)
	}
	if err := arrange(job, collected{j, r}); err != nil {
		return "", blame(err)
	}
	_ = os.RemoveAll(to) // what is there has no record of the job
	if err := os.Rename(filepath.Join(job, resultFolder), to); err != nil {
		return "", fmt.Errorf("put a result into the store: %w", err)
	}
	return left, atomicfile.SyncDir(filepath.Dir(to))
}

const asideOf = ".collecting-"

// setAside makes a folder for what is not whole yet, which is the caller's until done. What
// clients left that were killed, whose locks the kernel has dropped, is removed before.
func setAside(parent string) (dir string, done func(), err error) {
	left, _ := filepath.Glob(filepath.Join(parent, asideOf+"*"))
	for _, l := range left {
		if f, err := holdFolder(l); err == nil {
			_ = os.RemoveAll(l)
			f.Close()
		}
	}
	for {
		if dir, err = os.MkdirTemp(parent, asideOf); err != nil {
			return "", nil, err
		}
		held, err := holdNew(dir)
		if err != nil {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
		if held != nil {
			return dir, func() { _ = os.RemoveAll(dir); held.Close() }, nil
		}
	}
}

// holdNew is holdFolder for a folder that was just made, nil where another client, which takes it for
// one that was left, came before and removes it.
func holdNew(dir string) (*os.File, error) {
	held, err := holdFolder(dir)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	now, err := os.Lstat(dir)
	if locked, _ := held.Stat(); err == nil && os.SameFile(locked, now) {
		return held, nil
	}
	held.Close()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return nil, nil
}

// holdFolder locks a folder, not following a link, until the file is closed. It fails where somebody
// holds it.
func holdFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// fetch unpacks an agent's files, and describes those that are not kept.
func fetch(ctx context.Context, c *fleet.Conn, r fleet.Run, dir string) (left string, err error) {
	if err := os.MkdirAll(filepath.Join(dir, resultFolder), 0o755); err != nil {
		return "", err
	}
	if r.Object == "" && r.State == fleet.Failed {
		return "", nil
	}
	packed, err := os.Create(dir + ".tar.gz")
	if err != nil {
		return "", err
	}
	defer packed.Close()
	digest, err := c.Object(ctx, r.Agent, r.Job, packed)
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound):
		return "", whereIsIt(ctx, c, r)
	case errors.Is(err, jetstream.ErrDigestMismatch):
		return "", refusedError{err}
	case err == nil && digest != r.Digest:
		return "", refusedError{errors.New("its files are not those that the agent signed")}
	}
	if err != nil {
		return "", fmt.Errorf("get a result of agent %s: %w", r.Agent, err)
	}
	if _, err := packed.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	left, err = unpack(packed, dir)
	return left, blame(err)
}

// whereIsIt says why the hub has no result of a run.
func whereIsIt(ctx context.Context, c *fleet.Conn, r fleet.Run) error {
	deleted, err := fleet.Ask(ctx, func(ctx context.Context) (bool, error) { return c.WasDeleted(ctx, r.Agent, r.Job) })
	switch {
	case err != nil:
		return fmt.Errorf("look for a result of agent %s: %w", r.Agent, err)
	case deleted:
		return errGone
	}
	return refusedError{errors.New("it handed in no files")}
}

// blame tells what is the fault of the client's own host from what is the result's: names that are
// too long, or files where folders should be.
func blame(err error) error {
	if err == nil {
		return nil
	}
	for _, own := range []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EROFS, unix.EMFILE, unix.ENFILE, unix.ENOMEM,
		unix.EACCES, unix.EPERM} {
		if errors.Is(err, own) {
			return fmt.Errorf("keep a result: %w", err)
		}
	}
	return refusedError{err}
}

// verify compares the result of a job that was done with what was asked for. A failed one may have none.
func verify(dir string, p *fleet.Plan, c collected) error {
	r, err := store.Load(dir)
	switch {
	case errors.Is(err, os.ErrNotExist) && c.Run.State == fleet.Failed:
		return nil
	case err != nil:
		return err
	case r.Settings != c.Job.Scenario:
		return errors.New("it was measured with other settings than the campaign's")
	case c.Job.Class.Version != "" && r.Tool.Version != p.Version:
		return fmt.Errorf("upflab %s measured it, and %s was asked for", r.Tool.Version, p.Version)
	}
	return writeReports(dir, r)
}

// writeReports makes the reports of a result: those that an agent made could be pages of its own.
func writeReports(dir string, r *record.Result) error {
	d, err := sections.Report(r, sections.Options{})
	if err != nil {
		return err
	}
	return files.Write(dir, d)
}

// arrange puts what belongs to a result into its folder: the log, and the job.
func arrange(dir string, c collected) error {
	log := filepath.Join(dir, logName)
	if err := os.Rename(log, filepath.Join(dir, resultFolder, logName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, resultFolder, recordName), append(data, '\n'), 0o644)
}

// releaseFor is how long the hub is asked to free what a result takes: a member of a cluster
// that is killed is replaced within some 10 s.
const releaseFor = 20 * time.Second

// release frees what a collected result takes at the hub.
func release(ctx context.Context, c *fleet.Conn, r fleet.Run) {
	if r.Object == "" {
		return
	}
	ctx, stop := context.WithTimeout(ctx, releaseFor)
	defer stop()
	_, _ = fleet.Ask(ctx, func(ctx context.Context) (none struct{}, err error) {
		results, err := c.Results(ctx, r.Agent)
		if err == nil {
			err = results.Delete(ctx, r.Job)
		}
		return none, err
	})
}
