package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
)

// offers asks the queues of all classes that the testbed can do. All answers come to one
// inbox for as long as the agent runs. So a job that comes late, of a busy hub, is taken or
// given back: with an inbox for each question it would be nobody's until it is given to
// another, over a minute later.
type offers struct {
	conn    *fleet.Conn
	testbed fleet.Testbed
	inbox   string
	jobs    chan offer
	answers chan string // what a queue said of itself, its status
	turn    int         // of the class that is asked first

	mu      sync.Mutex
	wanted  bool
	classes []string
	added   chan struct{} // closed when there is one more
}

func newOffers(c *fleet.Conn, t fleet.Testbed) *offers {
	return &offers{conn: c, testbed: t, inbox: c.NATS.NewInbox(), jobs: make(chan offer, 1), answers: make(chan string, 1),
		added: make(chan struct{})}
}

// listen opens the inbox.
func (o *offers) listen() error {
	if _, err := o.conn.NATS.Subscribe(o.inbox, o.heard); err != nil {
		return fmt.Errorf("listen for jobs: %w", err)
	}
	return nil
}

// heard takes an answer. A job that is not wanted any more, since another queue was faster,
// goes back at once.
func (o *offers) heard(m *nats.Msg) {
	if !isOffer(m) {
		select {
		case o.answers <- m.Header.Get("Status"):
		default:
		}
		return
	}
	job := offer{o.conn.NATS, m}
	o.mu.Lock()
	wanted := o.wanted
	o.wanted = false
	o.mu.Unlock()
	if wanted {
		o.jobs <- job
		return
	}
	_ = job.Nak() // else it comes back by itself
}

// want begins to take a job; end gives one back that came when it was over.
func (o *offers) want() (end func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wanted = true
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.wanted = false
		select {
		case job := <-o.jobs:
			_ = job.Nak()
		default:
		}
	}
}

// watchFor is how long classes are watched before the watch is begun again: it is also when
// the connection was lost. A member of a cluster that is gone sends no more of them, and the
// client does not always notice.
const watchFor = 2 * time.Minute

// follow learns of classes until ctx ends.
func (o *offers) follow(ctx context.Context) {
	for ctx.Err() == nil {
		_ = o.conn.Try(ctx, watchFor, o.watch) // it ends when the connection does
		_ = sleep(ctx, fleet.Pause)
	}
}

func (o *offers) watch(ctx context.Context) error {
	w, stop, err := fleet.Watch(ctx, o.conn.Classes, ">")
	if err != nil {
		return err
	}
	defer stop()
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
				o.add(e.Key())
			}
		}
	}
}

// add begins to ask a class's queue.
func (o *offers) add(class string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at, known := slices.BinarySearch(o.classes, class)
	if known {
		return
	}
	o.classes = slices.Insert(slices.Clone(o.classes), at, class)
	close(o.added)
	o.added = make(chan struct{})
}

func (o *offers) known() (classes []string, added <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.classes, o.added
}

// idleAfter is how long an agent waits for a job before it counts as idle.
const idleAfter = 200 * time.Millisecond

// next gives a job: one that waits, of the classes in turn, or the first that comes. idle is
// called when none waits.
func (o *offers) next(ctx context.Context, idle func()) (offer, error) {
	defer o.want()()
	if job, found := o.waiting(ctx); found {
		return job, nil
	}
	waits := time.NewTimer(idleAfter)
	defer waits.Stop()
	for ctx.Err() == nil {
		var job offer
		err := o.conn.Try(ctx, askFor+idleAfter, func(ctx context.Context) (err error) {
			job, err = o.wait(ctx, waits.C, idle)
			return err
		})
		if err == nil {
			return job, nil
		}
	}
	return offer{}, context.Cause(ctx)
}

// waiting asks one class after the other for a job that is there. With one class there is
// nothing to choose: wait asks the same.
func (o *offers) waiting(ctx context.Context) (job offer, found bool) {
	classes, _ := o.known()
	if len(classes) < 2 {
		return job, false
	}
	o.turn++
	for i := range classes {
		o.forgetAnswers()
		if o.ask(classes[(i+o.turn)%len(classes)], `{"batch":1,"no_wait":true}`) != nil {
			continue
		}
		select {
		case job := <-o.jobs:
			return job, true
		case <-o.answers:
		case <-time.After(time.Second):
		case <-ctx.Done():
			return job, false
		}
	}
	return job, false
}

func (o *offers) forgetAnswers() {
	select {
	case <-o.answers:
	default:
	}
}

// askFor is how long one question for a job stays at the hub.
const askFor = 5 * time.Second

// errAskAgain is a wait without a job.
var errAskAgain = errors.New("no job came")

// The status of a question that stayed at the hub for as long as it was to.
const expired = "408"

// wait asks all classes for the first job that comes. idle is called when it has waited for
// a while.
func (o *offers) wait(ctx context.Context, waits <-chan time.Time, idle func()) (job offer, err error) {
	classes, added := o.known()
	o.forgetAnswers()
	question := fmt.Sprintf(`{"batch":1,"expires":%d}`, askFor.Nanoseconds())
	for _, class := range classes {
		if err := o.ask(class, question); err != nil {
			return job, errors.Join(err, sleep(ctx, fleet.Pause/10))
		}
	}
	for asked := time.Now(); ; {
		select {
		case job := <-o.jobs:
			return job, nil
		case <-waits:
			idle()
		case <-added:
			return job, errAskAgain
		case status := <-o.answers:
			if status != expired { // the hub has just started, or makes the queue
				return job, errors.Join(errAskAgain, sleep(ctx, fleet.Pause/10))
			}
			if time.Since(asked) >= askFor {
				return job, errAskAgain
			}
		case <-ctx.Done():
			return job, ctx.Err()
		}
	}
}

// ask asks a queue for a job.
func (o *offers) ask(class, question string) error {
	return o.conn.NATS.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+fleet.JobStream+"."+class, o.inbox, []byte(question))
}
