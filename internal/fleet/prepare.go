package fleet

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Prepare makes the streams and buckets on a NATS server, and those of the agents'
// results. What is there already stays, with what is in it.
func Prepare(ctx context.Context, js jetstream.JetStream, s Settings, agents []string) error {
	s.Protocol = Protocol
	if err := makeJobs(ctx, js, s); err != nil {
		return explainPrepare(JobStream, err)
	}
	for _, b := range buckets(s) {
		b.Replicas = s.Replicas
		if _, err := js.CreateOrUpdateKeyValue(ctx, b); err != nil {
			return explainPrepare(b.Bucket, err)
		}
	}
	for _, name := range append([]string{plansBucket}, resultBuckets(agents)...) {
		if err := makeObjects(ctx, js, name, s.Replicas); err != nil {
			return explainPrepare(name, err)
		}
	}
	if err := makeTicketKey(ctx, js); err != nil {
		return explainPrepare(bucketConfig, err)
	}
	return writeSettings(ctx, js, s)
}

// makeTicketKey makes the secret with which the hub knows its tickets again, once.
func makeTicketKey(ctx context.Context, js jetstream.JetStream) error {
	config, err := js.KeyValue(ctx, bucketConfig)
	if err != nil {
		return err
	}
	key := make([]byte, 32)
	rand.Read(key)
	if _, err = config.Create(ctx, ticketKey, key); errors.Is(err, jetstream.ErrKeyExists) {
		return nil
	}
	return err
}

// TicketKey is the secret of the hub's tickets.
func (c *Conn) TicketKey(ctx context.Context) ([]byte, error) {
	config, err := c.JS.KeyValue(ctx, bucketConfig)
	if err != nil {
		return nil, err
	}
	e, err := config.Get(ctx, ticketKey)
	if err != nil {
		return nil, fmt.Errorf("read the key of the hub's tickets: %w; `upflab hub prepare` makes it", err)
	}
	return e.Value(), nil
}

func explainPrepare(what string, err error) error {
	return fmt.Errorf("make %s on the NATS server: %w; it needs JetStream, and rights to make streams", what, err)
}

func makeJobs(ctx context.Context, js jetstream.JetStream, s Settings) error {
	_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: JobStream, Description: "upflab: jobs without an outcome", Subjects: []string{jobSubjects},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: s.Replicas, MaxMsgSize: maxJob,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	})
	return err
}

func buckets(s Settings) []jetstream.KeyValueConfig {
	return []jetstream.KeyValueConfig{
		{Bucket: bucketConfig},
		{Bucket: bucketClasses},
		{Bucket: bucketTestbeds},
		{Bucket: bucketAlive, TTL: AliveFor, Storage: jetstream.MemoryStorage},
		{Bucket: bucketLeases, TTL: s.Lease},
		{Bucket: bucketRuns},
	}
}

func resultBuckets(agents []string) (list []string) {
	for _, a := range agents {
		list = append(list, resultsPrefix+a)
	}
	return list
}

func makeObjects(ctx context.Context, js jetstream.JetStream, name string, replicas int) error {
	_, err := js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, Replicas: replicas})
	return err
}

func writeSettings(ctx context.Context, js jetstream.JetStream, s Settings) error {
	config, err := js.KeyValue(ctx, bucketConfig)
	if err != nil {
		return explainPrepare(bucketConfig, err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if e, err := config.Get(ctx, settingsKey); err == nil && bytes.Equal(e.Value(), data) {
		return nil // a full server can be prepared again
	}
	_, err = config.Put(ctx, settingsKey, data)
	return err
}

// MakeConsumer makes the queue of a class, from which agents take jobs.
func MakeConsumer(ctx context.Context, c *Conn, class string) error {
	_, err := c.JS.CreateOrUpdateConsumer(ctx, JobStream, jetstream.ConsumerConfig{
		Durable: class, FilterSubject: JobSubject(class, "*"), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: c.Settings.AckWait(), MaxAckPending: -1, MaxWaiting: 4096, MaxRequestExpires: time.Minute,
	})
	return err
}
