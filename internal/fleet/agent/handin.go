package agent

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nuid"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/wire"
	"github.com/upflab/upflab/internal/text/wait"
)

// handIn gives the result to the hub: first the files, then the report, with which the hub takes
// the job off the queue. Wherever that is interrupted, doing it again does no harm.
func (t *task) handIn(ctx context.Context) error {
	if err := t.upload(ctx); err != nil {
		return err
	}
	if err := t.report(ctx); err != nil {
		return err
	}
	return t.agent.spool.done(t.job)
}

// uploadFor is how long one attempt to hand in files may take.
const uploadFor = 30 * time.Minute

func (t *task) upload(ctx context.Context) error {
	for {
		err := t.agent.conn.Try(ctx, uploadFor, t.put)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var denied fleet.DeniedError
		if errors.As(err, &denied) {
			return err
		}
		reason := "the hub does not take the result: " + err.Error()
		if t.agent.doing.set("paused", reason, &t.job) {
			t.agent.config.Notice(reason)
		}
		if err := wait.Pause(ctx, fleet.Pause); err != nil {
			return err
		}
	}
}

// put sends the files of a job, one message after the other: the hub confirms each.
func (t *task) put(ctx context.Context) error {
	read, write := io.Pipe()
	defer read.Close()
	go func() { write.CloseWithError(packChunks(write, t.agent.spool.path(t.run.Job))) }()
	q := fleet.StoredAsked{Ticket: t.ticketOrName(), Upload: nuid.Next()}
	sum := sha256.New()
	buffer := make([]byte, fleet.ChunkSize)
	for {
		n, err := io.ReadFull(read, buffer)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if err := t.putChunk(ctx, q, buffer[:n]); err != nil {
			return err
		}
		sum.Write(buffer[:n])
		q.Chunks, q.Size = q.Chunks+1, q.Size+uint64(n)
	}
	q.Digest = wire.Digest(sum)
	limited, stop := context.WithTimeout(ctx, 2*fleet.Each)
	defer stop()
	if err := t.agent.ask(limited, fleet.MethodStored, q); err != nil {
		return err
	}
	t.run.Object, t.run.Size, t.run.Digest = t.run.Job, q.Size, q.Digest
	return nil
}

// putChunk sends one part. The member of a cluster that was to confirm it may be gone: then it is
// sent again, and the hub keeps it once.
func (t *task) putChunk(ctx context.Context, q fleet.StoredAsked, octets []byte) error {
	const tries = 3
	var err error
	for range tries {
		limited, stop := context.WithTimeout(ctx, 2*fleet.Each)
		_, err = fleet.QuestionWith[struct{}](limited, t.agent.conn, fleet.MethodChunk,
			fleet.ChunkAsked{Ticket: q.Ticket, Upload: q.Upload, Number: int(q.Chunks)}, octets)
		stop()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
	return err
}

// ticketOrName is the job's ticket; of one that an earlier agent began, its name alone.
func (t *task) ticketOrName() fleet.Ticket {
	if t.ticket.Job == "" {
		return fleet.Ticket{Job: t.run.Job}
	}
	return t.ticket
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
	if errors.Is(err, io.EOF) { // which would end the archive as if it were whole
		return fmt.Errorf("%s became shorter while it was packed", path)
	}
	return err
}

// handInOld hands in what an agent before this one measured and did not get rid of,
// unless another has measured it since.
func (a *Agent) handInOld(ctx context.Context) error {
	for _, r := range a.spool.finished() {
		done, err := a.outcome(ctx, r.Job)
		var denied fleet.DeniedError
		if errors.As(err, &denied) { // the hub knows nothing of it any more
			done, err = true, nil
		}
		if err != nil {
			return err
		}
		if !done && r.Agent == a.config.Testbed.Agent {
			t := &task{agent: a, run: r.Run, job: fleet.Job{ID: r.Job, Name: r.Name, Issued: r.Issued}}
			if err := errors.Join(t.upload(ctx), t.report(ctx), a.spool.done(t.job)); err != nil {
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
	mine, _, err := (&task{agent: a}).others(ctx)
	for _, r := range mine {
		if r.State != fleet.Started || r.Testbed != a.config.Testbed.Name || a.spool.hasReport(r.Job) {
			continue
		}
		r.State, r.Error = fleet.Lost, "the agent was killed and restarted"
		if err := (&task{agent: a, run: r.Run}).report(ctx); err != nil {
			return err
		}
	}
	return err
}

// outcome reports whether a job has one.
func (a *Agent) outcome(ctx context.Context, job string) (done bool, err error) {
	t := &task{agent: a, run: fleet.Run{Job: job}}
	runs, _, err := t.others(ctx)
	for _, r := range runs {
		done = done || r.Final()
	}
	return done, err
}
