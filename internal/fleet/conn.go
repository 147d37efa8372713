package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet/wire"
)

// Conn is the operator's connection to a hub, with its buckets. The hub itself has one, too;
// agents have a Client.
type Conn struct {
	line
	JS       jetstream.JetStream
	Settings Settings
	Self     *Identity

	Classes, Testbeds, Alive, Leases, Runs jetstream.KeyValue

	mu      sync.Mutex
	results map[string]jetstream.ObjectStore // that were opened, by agent
	chunks  map[string]jetstream.Stream      // of these, likewise

	verified map[uint64]Run // reports, by revision
}

// Open connects to a hub and reads what it is set to. The options are added to
// those of the connection.
func Open(ctx context.Context, a Access, options ...nats.Option) (*Conn, error) {
	self, err := a.identity()
	if err != nil {
		return nil, err
	}
	nc, err := a.Connect(options...)
	if err != nil {
		return nil, err
	}
	return OpenOn(ctx, nc, self)
}

// OpenOn is Open with a connection that is there, which is closed if it fails.
func OpenOn(ctx context.Context, nc *nats.Conn, self *Identity) (c *Conn, err error) {
	c = &Conn{line: line{nc}, Self: self}
	if c.JS, err = jetstream.New(nc); err == nil {
		err = c.open(ctx)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return c, nil
}

func (c *Conn) open(ctx context.Context) error {
	if err := checkServer(c.NATS.ConnectedServerVersion()); err != nil {
		return err
	}
	config, err := c.JS.KeyValue(ctx, bucketConfig)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return errors.New("the NATS server is there, but not prepared for upflab: `upflab hub prepare --nats URL` does that")
	}
	if err != nil {
		return fmt.Errorf("open the hub's settings: %w", err)
	}
	entry, err := config.Get(ctx, settingsKey)
	if err == nil {
		err = json.Unmarshal(entry.Value(), &c.Settings)
	}
	if err != nil {
		return fmt.Errorf("read the hub's settings: %w", err)
	}
	if c.Settings.Protocol != Protocol {
		return ProtocolError{c.Settings.Protocol, Protocol}
	}
	for name, bucket := range map[string]*jetstream.KeyValue{
		bucketClasses: &c.Classes, bucketTestbeds: &c.Testbeds, bucketAlive: &c.Alive, bucketLeases: &c.Leases, bucketRuns: &c.Runs,
	} {
		if *bucket, err = c.JS.KeyValue(ctx, name); err != nil {
			return fmt.Errorf("open the bucket %s: %w", name, err)
		}
	}
	return nil
}

// ProtocolError is a hub of another revision than who wants to use it.
type ProtocolError struct{ Hub, Other int }

// Error says what to do.
func (e ProtocolError) Error() string {
	return fmt.Sprintf("the hub speaks revision %d, this upflab %d: use one version of upflab everywhere", e.Hub, e.Other)
}

// Results opens the object store with an agent's results. The hub is asked for it once.
func (c *Conn) Results(ctx context.Context, agent string) (jetstream.ObjectStore, error) {
	c.mu.Lock()
	store, known := c.results[agent]
	c.mu.Unlock()
	if known {
		return store, nil
	}
	store, err := c.JS.ObjectStore(ctx, resultsPrefix+agent)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results == nil {
		c.results = map[string]jetstream.ObjectStore{}
	}
	c.results[agent] = store
	return store, nil
}

// SayAlive writes what an agent does, and does not wait until it is written.
func (c *Conn) SayAlive(testbed string, alive []byte) error {
	return c.NATS.Publish(wire.Key(bucketAlive, testbed), alive)
}

// Put writes a value as JSON.
func Put(ctx context.Context, b jetstream.KeyValue, key string, value any) error {
	data, err := json.Marshal(value)
	if err == nil {
		_, err = b.Put(ctx, key, data)
	}
	return err
}

// All gives the values of a bucket whose keys match a pattern, ">" for all, in the
// order in which they were written. What cannot be decoded is left out.
func All[T any](ctx context.Context, b jetstream.KeyValue, pattern string,
	decode func(key string, data []byte) (T, error)) (list []T, err error) {
	entries, err := entries(ctx, b, pattern)
	for _, e := range entries {
		if v, err := decode(e.Key(), e.Value()); err == nil {
			list = append(list, v)
		}
	}
	return list, err
}

// Watch watches a bucket's keys that match a pattern, ">" for all, until stop is called or
// ctx ends. A cluster without a leader never answers: that is context.DeadlineExceeded
// after Each.
func Watch(ctx context.Context, b jetstream.KeyValue, pattern string) (w jetstream.KeyWatcher, stop func(), err error) {
	whole, cancel := context.WithCancel(ctx)
	late := time.AfterFunc(Each, cancel)
	w, err = b.Watch(whole, pattern, jetstream.IgnoreDeletes())
	if !late.Stop() && ctx.Err() == nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return w, func() { _ = w.Stop(); cancel() }, nil
}

// entries are those of a bucket whose keys match a pattern, in the order of writing. They are
// sent by one member of a cluster: when nothing came from it for Each it may be gone, which
// is context.DeadlineExceeded.
func entries(ctx context.Context, b jetstream.KeyValue, pattern string) (list []jetstream.KeyValueEntry, err error) {
	watch, stop, err := Watch(ctx, b, pattern)
	if err != nil {
		return nil, err
	}
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(Each):
			return nil, context.DeadlineExceeded
		case entry, open := <-watch.Updates():
			if !open {
				return nil, errors.New("the connection to the hub was closed")
			}
			if entry == nil {
				return list, nil
			}
			list = append(list, entry)
		}
	}
}

// JSON decodes values of buckets.
func JSON[T any](_ string, data []byte) (v T, err error) {
	err = json.Unmarshal(data, &v)
	return v, err
}
