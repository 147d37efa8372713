package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/wire"
)

// offers asks the queues of all classes that a testbed can do, for one agent. All answers come
// to one inbox, so that a job that comes late is taken or given back: with an inbox for each
// question it would be nobody's until it is given to another, over a minute later.
type offers struct {
	conn    *fleet.Conn
	inbox   string
	sub     *nats.Subscription
	jobs    chan *nats.Msg
	answers chan string // what a queue said of itself, its status
	turn    int         // of the class that is asked first
	asking  sync.Mutex  // one question of the agent at a time

	mu     sync.Mutex
	wanted bool
	given  fleet.Ticket // of the job that the agent has; zero: none
}

// offersFor are those of an agent for a testbed.
func (f *front) offersFor(s *served, testbed string) (*offers, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.offers[testbed]; o != nil {
		return o, nil
	}
	o := &offers{conn: f.conn, inbox: f.conn.NATS.NewInbox(), jobs: make(chan *nats.Msg, 1), answers: make(chan string, 1)}
	if s.gone {
		return nil, errors.New("the agent's access was withdrawn")
	}
	var err error
	if o.sub, err = f.conn.NATS.Subscribe(o.inbox, o.heard); err != nil {
		return nil, fmt.Errorf("listen for jobs: %w", err)
	}
	s.offers[testbed] = o
	return o, nil
}

// give notes which job the agent has now, and tells which it had.
func (o *offers) give(t fleet.Ticket) (before fleet.Ticket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, o.given = o.given, t
	return before
}

// take notes that the agent has no job any more, if it is this one that it had.
func (o *offers) take(t fleet.Ticket) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.given.Reply != t.Reply {
		return false
	}
	o.given = fleet.Ticket{}
	return true
}

// mostOver bounds how many jobs are known that an agent is not at any more.
const mostOver = 10_000

// ended notes that an agent is not at a job any more.
func (s *served) ended(t fleet.Ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.offers {
		o.take(t)
	}
	if s.over == nil || len(s.over) >= mostOver {
		s.over = map[string]bool{}
	}
	s.over[t.Reply] = true
}

// isOver reports whether an agent is known not to be at a job any more.
func (s *served) isOver(t fleet.Ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over[t.Reply]
}

// heard takes an answer. A job that is not wanted any more, since another queue was faster,
// goes back at once.
func (o *offers) heard(m *nats.Msg) {
	if !wire.IsMessage(fleet.JobStream, m.Reply) {
		select {
		case o.answers <- m.Header.Get("Status"):
		default:
		}
		return
	}
	o.mu.Lock()
	wanted := o.wanted
	o.wanted = false
	o.mu.Unlock()
	if wanted {
		o.jobs <- m
		return
	}
	_ = m.Respond([]byte("-NAK")) // else it comes back by itself
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
		case m := <-o.jobs:
			_ = m.Respond([]byte("-NAK"))
		default:
		}
	}
}

// next gives a job: one that waits, of the classes in turn, or the first that comes; nil: none.
func (o *offers) next(ctx context.Context, c *classes, t fleet.Testbed) *nats.Msg {
	defer o.want()()
	if m := o.waiting(ctx, c, t); m != nil {
		return m
	}
	for ctx.Err() == nil {
		if m := o.wait(ctx, c, t); m != nil {
			return m
		}
	}
	return nil
}

// waiting asks one class after the other for a job that is there. With one class there is
// nothing to choose: wait asks the same.
func (o *offers) waiting(ctx context.Context, c *classes, t fleet.Testbed) *nats.Msg {
	list, _ := c.of(t)
	if len(list) < 2 {
		return nil
	}
	o.turn++
	for i := range list {
		o.forgetAnswers()
		if o.ask(list[(i+o.turn)%len(list)], wire.AtOnce()) != nil {
			continue
		}
		select {
		case m := <-o.jobs:
			return m
		case <-o.answers:
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func (o *offers) forgetAnswers() {
	select {
	case <-o.answers:
	default:
	}
}

// wait asks all classes for the first job that comes.
func (o *offers) wait(ctx context.Context, c *classes, t fleet.Testbed) *nats.Msg {
	list, added := c.of(t)
	o.forgetAnswers()
	until, _ := ctx.Deadline()
	question := wire.Question(time.Until(until))
	for _, class := range list {
		if o.ask(class, question) != nil {
			return o.pause(ctx)
		}
	}
	for {
		select {
		case m := <-o.jobs:
			return m
		case <-added:
			return nil
		case status := <-o.answers:
			if status != wire.Expired { // the hub has just started, or makes the queue
				return o.pause(ctx)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// pause waits for a moment before the queues are asked again, and takes a job that comes
// meanwhile.
func (o *offers) pause(ctx context.Context) *nats.Msg {
	select {
	case m := <-o.jobs:
		return m
	case <-ctx.Done():
	case <-time.After(fleet.Pause / 10):
	}
	return nil
}

// ask asks a queue for a job.
func (o *offers) ask(class string, question []byte) error {
	return o.conn.NATS.PublishRequest(wire.Next(fleet.JobStream, class), o.inbox, question)
}

// classes are those of all jobs that were ever queued.
type classes struct {
	mu    sync.Mutex
	known map[string]fleet.Class
	added chan struct{} // closed when there is one more
}

// watchFor is how long classes are watched before the watch is begun again: it is also when
// the connection was lost. A member of a cluster that is gone sends no more of them, and the
// client does not always notice.
const watchFor = 2 * time.Minute

func (c *classes) watch(ctx context.Context, conn *fleet.Conn) error {
	w, stop, err := fleet.Watch(ctx, conn.Classes, ">")
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
				return errors.New("the watch has ended")
			}
			if e == nil {
				continue
			}
			class, err := fleet.JSON[fleet.Class](e.Key(), e.Value())
			if err == nil && class.ID() == e.Key() {
				c.add(e.Key(), class)
			}
		}
	}
}

func (c *classes) add(id string, class fleet.Class) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.known[id]; known {
		return
	}
	if c.known == nil {
		c.known = map[string]fleet.Class{}
	}
	c.known[id] = class
	close(c.added)
	c.added = make(chan struct{})
}

// of are the classes that a testbed can do, and what is closed when there may be more.
func (c *classes) of(t fleet.Testbed) (list []string, added <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, class := range c.known {
		if class.Missing(t) == "" {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list, c.added
}
