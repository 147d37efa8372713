package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet/wire"
)

// PutChunk keeps a part of an agent's result. The same part twice is kept once.
func (c *Conn) PutChunk(ctx context.Context, agent string, q ChunkAsked, octets []byte) error {
	switch {
	case !GoodName(q.Upload), q.Number < 0 || q.Number >= maxChunks:
		return fmt.Errorf("part %d of the result %q: there are %d at most", q.Number, q.Upload, maxChunks)
	case len(octets) > ChunkSize:
		return fmt.Errorf("a part of %d octets: they have %d at most", len(octets), ChunkSize)
	}
	_, err := c.JS.Publish(ctx, wire.Chunk(resultsPrefix+agent, q.Upload), octets, jetstream.WithMsgID(fmt.Sprintf("%s.%d", q.Upload, q.Number)))
	return err
}

// PutInfo makes the parts of an upload the result of a job, in place of an earlier one.
func (c *Conn) PutInfo(ctx context.Context, agent, job string, q StoredAsked) error {
	if !GoodName(q.Upload) || !GoodName(job) || q.Chunks > maxChunks {
		return fmt.Errorf("a result of %d parts called %q: there are %d at most", q.Chunks, q.Upload, maxChunks)
	}
	results, err := c.Results(ctx, agent)
	if err != nil {
		return err
	}
	before, err := results.GetInfo(ctx, job)
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	m := nats.NewMsg(wire.Info(resultsPrefix+agent, job))
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	m.Data, err = json.Marshal(jetstream.ObjectInfo{Bucket: resultsPrefix + agent, NUID: q.Upload, Size: q.Size,
		Chunks: q.Chunks, Digest: q.Digest,
		ModTime: time.Now().UTC(), ObjectMeta: jetstream.ObjectMeta{Name: job, Opts: &jetstream.ObjectMetaOptions{ChunkSize: ChunkSize}}})
	if err == nil {
		_, err = c.JS.PublishMsg(ctx, m)
	}
	if err != nil || before == nil || before.NUID == q.Upload || !GoodName(before.NUID) {
		return err
	}
	return c.dropUpload(ctx, agent, before.NUID)
}

func (c *Conn) dropUpload(ctx context.Context, agent, upload string) error {
	stream, err := c.chunksOf(ctx, agent)
	if err != nil {
		return err
	}
	return stream.Purge(ctx, jetstream.WithPurgeSubject(wire.Chunk(resultsPrefix+agent, upload)))
}

// uploadIdle is how long nothing may come of an upload before it counts as abandoned.
const uploadIdle = 10 * time.Minute

// SweepUploads removes what agents that were killed uploaded, and did not finish.
func (c *Conn) SweepUploads(ctx context.Context, agent string) error {
	stream, err := c.chunksOf(ctx, agent)
	if err != nil {
		return err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(wire.Chunk(resultsPrefix+agent, "*")))
	if err != nil || len(info.State.Subjects) == 0 {
		return err
	}
	results, err := c.Results(ctx, agent)
	if err != nil {
		return err
	}
	list, err := results.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return err
	}
	for _, o := range list {
		delete(info.State.Subjects, wire.Chunk(resultsPrefix+agent, o.NUID))
	}
	for subject := range info.State.Subjects {
		last, err := stream.GetLastMsgForSubject(ctx, subject)
		if err == nil && time.Since(last.Time) > uploadIdle {
			err = stream.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
	}
	return nil
}

// KeptOf is how many octets the hub keeps of an agent's results.
func (c *Conn) KeptOf(ctx context.Context, agent string) (uint64, error) {
	stream, err := c.chunksOf(ctx, agent)
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.State.Bytes, nil
}
