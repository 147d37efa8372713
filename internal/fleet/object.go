package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// fewChunks is of how many messages a result may be to be read one by one: a reader of the
// object store makes a consumer at the hub for each object, which costs more than some ten
// questions.
const fewChunks = 8

// lagFor is how long a member of a cluster may not know what the others have.
const lagFor = 2 * time.Second

// Object reads the files of a job. Its end is an error when they are not whole.
// jetstream.ErrObjectNotFound: there are none. jetstream.ErrDigestMismatch: they are not
// what the agent said they are.
func (c *Conn) Object(ctx context.Context, agent, job string) (io.ReadCloser, error) {
	results, err := c.Results(ctx, agent)
	if err != nil {
		return nil, err
	}
	read := ""
	for began := time.Now(); ; {
		info, err := results.GetInfo(ctx, job)
		if err == nil && (info.Chunks > fewChunks || info.Size > fewChunks<<20) {
			return results.Get(ctx, job)
		}
		var data []byte
		if err == nil {
			data, err = c.read(ctx, agent, info)
		}
		lags := c.Settings.Replicas > 1 && time.Since(began) < lagFor
		switch {
		case err == nil:
			return io.NopCloser(bytes.NewReader(data)), nil
		case errors.Is(err, jetstream.ErrMsgNotFound) && (lags || info.NUID != read): // or it was replaced meanwhile
			read = info.NUID
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil, fmt.Errorf("%w: messages of it are missing", jetstream.ErrDigestMismatch)
		case !errors.Is(err, jetstream.ErrObjectNotFound) || !lags:
			return nil, err
		}
		if lags {
			if err := c.pause(ctx); err != nil {
				return nil, err
			}
		}
	}
}

func (c *Conn) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(Pause / 10):
		return nil
	}
}

// read gives an object message by message. jetstream.ErrMsgNotFound: there are fewer.
func (c *Conn) read(ctx context.Context, agent string, info *jetstream.ObjectInfo) ([]byte, error) {
	stream, err := c.chunksOf(ctx, agent)
	if err != nil {
		return nil, err
	}
	if info.Chunks > 0 && !GoodName(info.NUID) { // which is part of a subject, and a stranger's
		return nil, fmt.Errorf("%w: its record is damaged", jetstream.ErrDigestMismatch)
	}
	var whole bytes.Buffer
	subject, after := "$O."+resultsPrefix+agent+".C."+info.NUID, uint64(0)
	for range info.Chunks {
		m, err := stream.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(subject))
		if err != nil {
			return nil, err
		}
		after = m.Sequence
		whole.Write(m.Data)
	}
	sum := sha256.Sum256(whole.Bytes())
	if got := "SHA-256=" + base64.URLEncoding.EncodeToString(sum[:]); got != info.Digest {
		return nil, fmt.Errorf("%w: of %d octets", jetstream.ErrDigestMismatch, whole.Len())
	}
	return whole.Bytes(), nil
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
