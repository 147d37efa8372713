package fleet

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet/wire"
	"github.com/upflab/upflab/internal/text/wait"
)

// ChunkSize is how large the messages of a result are, octets.
const ChunkSize = 128 << 10

// maxPacked is how large a result may be, octets, and maxChunks of how many messages: one who
// reads asks for each of them.
const (
	maxPacked = 2 << 30
	maxChunks = maxPacked / ChunkSize
)

// lagFor is how long a member of a cluster may not know what the others have.
const lagFor = 2 * time.Second

// maxReplaced is how often a result may be replaced while it is read. It is read again after
// calmFor, each time twice as long, so that who replaces it comes to an end.
const (
	maxReplaced = 10
	calmFor     = 10 * time.Millisecond
)

// Object writes the packed files of a job to a file, and gives their digest.
// jetstream.ErrObjectNotFound: there are none. jetstream.ErrDigestMismatch: they are not
// what the agent said they are.
//
// Each message is asked for, and each question has an answer or is asked again. The object
// store's reader waits for messages that are missing for as long as it may, and follows links.
func (c *Conn) Object(ctx context.Context, agent, job string, to *os.File) (digest string, err error) {
	results, err := Ask(ctx, func(ctx context.Context) (jetstream.ObjectStore, error) { return c.Results(ctx, agent) })
	if err != nil {
		return "", err
	}
	replaced, read, missed := 0, "", time.Time{}
	for {
		info, err := Ask(ctx, func(ctx context.Context) (*jetstream.ObjectInfo, error) { return results.GetInfo(ctx, job) })
		if err == nil {
			digest = info.Digest
			err = c.read(ctx, agent, info, to)
		}
		missing := errors.Is(err, jetstream.ErrMsgNotFound)
		if !missing && !errors.Is(err, jetstream.ErrObjectNotFound) {
			return digest, err
		}
		if missed.IsZero() {
			missed = time.Now()
		}
		switch {
		case c.Settings.Replicas > 1 && time.Since(missed) < lagFor:
			if err := wait.Pause(ctx, Pause/10); err != nil {
				return "", err
			}
		case missing && info.NUID != read && replaced < maxReplaced:
			if err := wait.Pause(ctx, calmFor<<replaced); err != nil {
				return "", err
			}
			read, replaced = info.NUID, replaced+1
		case missing:
			return "", fmt.Errorf("%w: messages of it are missing", jetstream.ErrDigestMismatch)
		default:
			return "", err
		}
	}
}

// WasDeleted reports whether the result of a job was at the hub, and was taken away.
func (c *Conn) WasDeleted(ctx context.Context, agent, job string) (bool, error) {
	results, err := c.Results(ctx, agent)
	if err != nil {
		return false, err
	}
	info, err := results.GetInfo(ctx, job, jetstream.GetObjectInfoShowDeleted())
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, nil
	}
	return err == nil && info.Deleted, err
}

// read writes an object to a file, message by message. jetstream.ErrMsgNotFound: there are
// fewer.
func (c *Conn) read(ctx context.Context, agent string, info *jetstream.ObjectInfo, to *os.File) error {
	if err := checkInfo(info); err != nil {
		return err
	}
	stream, err := Ask(ctx, func(ctx context.Context) (jetstream.Stream, error) { return c.chunksOf(ctx, agent) })
	if err == nil {
		err = empty(to)
	}
	if err != nil {
		return err
	}
	sum, octets := sha256.New(), 0
	subject, after := wire.Chunk(resultsPrefix+agent, info.NUID), uint64(0)
	for range info.Chunks {
		m, err := Ask(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return stream.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(subject))
		})
		if err != nil {
			return err
		}
		after = m.Sequence
		sum.Write(m.Data)
		octets += len(m.Data)
		if octets > maxPacked {
			return fmt.Errorf("%w: it is larger than %d MB", jetstream.ErrDigestMismatch, maxPacked>>20)
		}
		if _, err := to.Write(m.Data); err != nil {
			return err
		}
	}
	if wire.Digest(sum) != info.Digest {
		return fmt.Errorf("%w: of %d octets", jetstream.ErrDigestMismatch, octets)
	}
	return nil
}

// checkInfo looks at what a stranger says of an object before it is read.
func checkInfo(info *jetstream.ObjectInfo) error {
	switch {
	case info.Chunks > maxChunks:
		return fmt.Errorf("%w: it is of %d messages, and %d is the most", jetstream.ErrDigestMismatch, info.Chunks, maxChunks)
	case info.Chunks > 0 && !GoodName(info.NUID): // it is part of a subject
		return fmt.Errorf("%w: its record is damaged", jetstream.ErrDigestMismatch)
	}
	return nil
}

func empty(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return errors.Join(err, f.Truncate(0))
}

// chunksOf is the stream of an agent's object store. The hub is asked for it once.
func (c *Conn) chunksOf(ctx context.Context, agent string) (jetstream.Stream, error) {
	c.mu.Lock()
	stream, known := c.chunks[agent]
	c.mu.Unlock()
	if known {
		return stream, nil
	}
	stream, err := c.JS.Stream(ctx, "OBJ_"+resultsPrefix+agent)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chunks == nil {
		c.chunks = map[string]jetstream.Stream{}
	}
	c.chunks[agent] = stream
	return stream, nil
}
