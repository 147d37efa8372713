package agent

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
)

// handIn gives the result to the hub: first the files, then the report. Then the job can be
// taken off the queue. Wherever that is interrupted, doing it again does no harm.
func (t *task) handIn(ctx context.Context) error {
	if err := t.upload(ctx); err != nil {
		return err
	}
	return t.report(ctx)
}

// uploadFor is how long one attempt to hand in files may take.
const uploadFor = 5 * time.Minute

func (t *task) upload(ctx context.Context) error {
	for patience := fleet.Each; ; patience = min(2*patience, uploadFor) {
		var size uint64
		err := t.agent.conn.Try(ctx, uploadFor, func(ctx context.Context) (err error) {
			size, err = t.put(ctx, patience)
			return err
		})
		if err == nil {
			t.run.Object, t.run.Size = t.run.Job, size
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		reason := "the hub does not take the result: " + err.Error()
		if t.agent.doing.set("paused", reason, &t.job) {
			t.agent.config.Notice(reason)
		}
		if err := sleep(ctx, fleet.Pause); err != nil {
			return err
		}
	}
}

// put sends the files of a job as one object. It ends when it could send nothing for as long
// as patience: the member of a cluster that was to confirm it may be gone.
func (t *task) put(ctx context.Context, patience time.Duration) (uint64, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stalled := time.AfterFunc(patience, func() { stop(errStalled) })
	defer stalled.Stop()
	store, err := t.agent.conn.Results(ctx, t.run.Agent)
	if err != nil {
		return 0, err
	}
	read, write := io.Pipe()
	go func() {
		write.CloseWithError(packChunks(alarmed{write, stalled, patience}, t.agent.spool.path(t.run.Job)))
	}()
	info, err := store.Put(ctx, jetstream.ObjectMeta{Name: t.run.Job, Opts: &jetstream.ObjectMetaOptions{ChunkSize: fleet.ChunkSize}}, read)
	read.CloseWithError(io.ErrClosedPipe)
	if err != nil {
		return 0, errors.Join(context.Cause(ctx), err)
	}
	return info.Size, nil
}

var errStalled = errors.New("it does not confirm what it was sent")

// alarmed puts an alarm off at each write.
type alarmed struct {
	io.Writer
	alarm *time.Timer
	by    time.Duration
}

// Write is io.Writer's.
func (a alarmed) Write(p []byte) (int, error) {
	n, err := a.Writer.Write(p)
	a.alarm.Reset(a.by)
	return n, err
}

// packChunks is pack with writes of fleet.ChunkSize: each write becomes a message, and those of
// gzip are of some 240 octets.
func packChunks(w io.Writer, dir string) error {
	whole := bufio.NewWriterSize(w, fleet.ChunkSize)
	return errors.Join(pack(whole, dir), whole.Flush())
}

// pack writes the files below dir as a tar.gz.
func pack(w io.Writer, dir string) error {
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		return packFile(out, dir, path)
	})
	return errors.Join(err, out.Close(), zip.Close())
}

func packFile(out *tar.Writer, dir, path string) error {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
		return err
	}
	_, err = io.CopyN(out, f, info.Size())
	return err
}

// handInOld hands in what an agent before this one measured and did not get rid of,
// unless another has measured it since.
func (a *Agent) handInOld(ctx context.Context) error {
	for _, r := range a.spool.finished() {
		done, err := a.outcome(ctx, r.Job)
		if err != nil {
			return err
		}
		if !done && r.Agent == a.config.Testbed.Agent {
			t := &task{agent: a, run: r, job: fleet.Job{ID: r.Job, Name: r.Name}}
			if err := errors.Join(t.upload(ctx), t.report(ctx)); err != nil {
				return err
			}
			a.config.Notice(fmt.Sprintf("handed in %s, which was measured before the agent was restarted", r.Name))
		}
		if err := a.spool.drop(r.Job); err != nil {
			return err
		}
	}
	return nil
}

// disown gives up the jobs that an agent before this one was at when it was killed.
func (a *Agent) disown(ctx context.Context) error {
	var mine []fleet.Run
	err := retry(ctx, func(ctx context.Context) (err error) {
		mine, err = fleet.All(ctx, a.conn.Runs, fleet.RunKey(a.config.Testbed.Agent, "*"), fleet.DecodeRun)
		return err
	})
	for _, r := range mine {
		if r.State != fleet.Started || r.Testbed != a.config.Testbed.Name || a.spool.hasReport(r.Job) {
			continue
		}
		r.State, r.Error = fleet.Lost, "the agent was killed and restarted"
		t := &task{agent: a, run: r}
		if err := t.report(ctx); err != nil {
			return err
		}
	}
	return err
}

// outcome reports whether a job has one.
func (a *Agent) outcome(ctx context.Context, job string) (done bool, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		runs, err := fleet.All(ctx, a.conn.Runs, fleet.RunKey("*", job), fleet.DecodeRun)
		for _, r := range runs {
			done = done || r.Final()
		}
		return err
	})
	return done, err
}
