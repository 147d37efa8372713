package agent

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
)

// askFor is how long one question for a job stays at the hub.
const askFor = 5 * time.Second

// offers asks the queues of all classes that the testbed can do.
type offers struct {
	conn    *fleet.Conn
	testbed fleet.Testbed
	jobs    chan jetstream.Msg
	turn    int // of the class that is asked first

	mu     sync.Mutex
	queues map[string]jetstream.Consumer // by class
	wanted chan struct{}                 // closed while a job is wanted
	asking sync.WaitGroup
}

func newOffers(c *fleet.Conn, t fleet.Testbed) *offers {
	return &offers{conn: c, testbed: t, jobs: make(chan jetstream.Msg), queues: map[string]jetstream.Consumer{}, wanted: make(chan struct{})}
}

// watchFor is how long classes are watched before the watch is begun again.
const watchFor = 30 * time.Second

// follow learns of classes until ctx ends.
func (o *offers) follow(ctx context.Context) {
	defer o.asking.Wait()
	for ctx.Err() == nil {
		_ = o.conn.Try(ctx, watchFor, o.watch) // it ends when the connection does
		_ = sleep(ctx, fleet.Pause)
	}
}

func (o *offers) watch(ctx context.Context) error {
	w, err := o.conn.Classes.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-w.Updates():
			if !open {
				return nil
			}
			if e == nil {
				continue
			}
			class, err := fleet.JSON[fleet.Class](e.Key(), e.Value())
			if err == nil && class.ID() == e.Key() && class.Missing(o.testbed) == "" {
				o.add(ctx, e.Key())
			}
		}
	}
}

// add begins to ask a class's queue.
func (o *offers) add(ctx context.Context, class string) {
	o.mu.Lock()
	_, known := o.queues[class]
	o.mu.Unlock()
	if known {
		return
	}
	var queue jetstream.Consumer
	if retry(ctx, func(ctx context.Context) (err error) {
		queue, err = o.conn.JS.Consumer(ctx, fleet.JobStream, class)
		return err
	}) != nil {
		return
	}
	o.mu.Lock()
	o.queues[class] = queue
	o.mu.Unlock()
	o.asking.Go(func() { o.ask(ctx, queue) })
}

// next gives a job: one that waits, of the classes in turn, or the first that comes.
func (o *offers) next(ctx context.Context) (jetstream.Msg, error) {
	if msg := o.waiting(); msg != nil {
		return msg, nil
	}
	o.mu.Lock()
	close(o.wanted)
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		o.wanted = make(chan struct{})
		o.mu.Unlock()
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case msg := <-o.jobs:
		return msg, nil
	}
}

func (o *offers) waiting() jetstream.Msg {
	o.mu.Lock()
	queues := maps.Clone(o.queues)
	o.mu.Unlock()
	classes := slices.Sorted(maps.Keys(queues))
	o.turn++
	for i := range classes {
		batch, err := queues[classes[(i+o.turn)%len(classes)]].FetchNoWait(1)
		if err != nil {
			continue
		}
		for msg := range batch.Messages() {
			return msg
		}
	}
	return nil
}

// ask waits for jobs of one queue while any are wanted. One that comes when another
// queue was faster goes back at once.
func (o *offers) ask(ctx context.Context, queue jetstream.Consumer) {
	for ctx.Err() == nil {
		o.mu.Lock()
		wanted := o.wanted
		o.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-wanted:
		}
		if o.askOnce(ctx, queue) != nil {
			_ = sleep(ctx, fleet.Pause/10)
		}
	}
}

func (o *offers) askOnce(ctx context.Context, queue jetstream.Consumer) error {
	limited, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	batch, err := queue.Fetch(1, jetstream.FetchContext(limited))
	if err != nil {
		return err
	}
	for msg := range batch.Messages() {
		select {
		case o.jobs <- msg:
		default:
			_ = msg.Nak() // else it comes back by itself
		}
	}
	return batch.Error()
}
