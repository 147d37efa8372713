package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/loglimit"
	"github.com/upflab/upflab/internal/text/wait"
)

// front does what agents ask the hub for. It stands between them and JetStream, of which they
// may use nothing: a server checks the subjects that a client publishes to, but not the reply
// subjects, to which JetStream then publishes whatever the client had stored. What happens is
// decided here, by the name in the subject, for which the server vouches.
type front struct {
	conn   *fleet.Conn
	key    []byte // of tickets
	store  *stock
	notice func(string)
	lines  loglimit.Kinds // of what notice is told

	mu      sync.Mutex
	served  map[string]*served // by name
	classes classes
}

// served is an agent that is let in.
type served struct {
	member
	sub   *nats.Subscription
	busy  chan struct{} // a place for each question that is dealt with at a time
	waits chan struct{} // the same of those for a job, which take long

	mu     sync.Mutex
	gone   bool               // its access was withdrawn
	offers map[string]*offers // by testbed
	over   map[string]bool    // where jobs are acknowledged that it is not at any more
}

const (
	// atATime is how many questions of one agent are dealt with, and queued how many more wait.
	// What comes beyond that is dropped: the agent asks again.
	atATime, queued = 8, 64
	queuedOctets    = 16 << 20
	// answerWithin is how long one may take.
	answerWithin = 2 * fleet.Each
)

// newFront begins to serve members.
func newFront(ctx context.Context, c *fleet.Conn, limit int64, notice func(string)) (*front, error) {
	key, err := c.TicketKey(ctx)
	if err != nil {
		return nil, err
	}
	f := &front{conn: c, key: key, store: &stock{conn: c, limit: limit}, notice: notice, served: map[string]*served{}}
	f.classes.added = make(chan struct{})
	return f, nil
}

// admit serves these members, and no others.
func (f *front) admit(members []member) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, s := range f.served {
		if !slices.ContainsFunc(members, func(m member) bool { return m.Name == name && !m.Operator }) {
			s.end()
			delete(f.served, name)
		}
	}
	for _, m := range members {
		if m.Operator {
			continue
		}
		s := f.served[m.Name]
		if s == nil {
			s = &served{busy: make(chan struct{}, atATime), waits: make(chan struct{}, atATime), offers: map[string]*offers{}}
			if err := f.listen(s, m.Name); err != nil {
				return err
			}
			f.served[m.Name] = s
		}
		s.mu.Lock()
		s.member = m
		s.mu.Unlock()
	}
	return f.conn.NATS.Flush()
}

// end serves an agent no more.
func (s *served) end() {
	_ = s.sub.Unsubscribe()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	for _, o := range s.offers {
		_ = o.sub.Unsubscribe()
	}
	s.offers = nil
}

// listen has an agent's questions answered. Each agent has its own queue, so that one which
// asks too much is dropped alone. Several fronts of one NATS cluster share the work.
func (f *front) listen(s *served, name string) (err error) {
	s.sub, err = f.conn.NATS.QueueSubscribe(fleet.AskSubject(name, "*"), "front", func(m *nats.Msg) { f.heard(s, name, m) })
	if err == nil {
		err = s.sub.SetPendingLimits(queued, queuedOctets)
	}
	if err != nil {
		return fmt.Errorf("listen to agent %s: %w", name, err)
	}
	return nil
}

// heard deals with a question. Its answer goes to the inbox of who asked, and nowhere else.
func (f *front) heard(s *served, name string, m *nats.Msg) {
	if m.Reply != "" && !strings.HasPrefix(m.Reply, fleet.InboxPrefix(name)+".") {
		f.lines.Say(f.notice, "reply of "+name, fmt.Sprintf("agent %s wanted an answer to go to another's subject: it was not given", name))
		return
	}
	method := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	if method == fleet.MethodNext {
		select {
		case s.waits <- struct{}{}:
			go func() { defer func() { <-s.waits }(); f.next(s, m) }()
		default:
			f.respond(m, nil, errors.New("too many questions for a job at a time"))
		}
		return
	}
	s.busy <- struct{}{}
	go func() {
		defer func() { <-s.busy }()
		ctx, stop := context.WithTimeout(context.Background(), answerWithin)
		defer stop()
		answer, err := f.answer(ctx, s, method, m.Data)
		f.respond(m, answer, err)
	}()
}

func (f *front) respond(m *nats.Msg, answer any, err error) {
	if m.Reply != "" {
		_ = m.Respond(answered(answer, err)) // who asked asks again
	}
}

func answered(answer any, err error) []byte {
	var a fleet.Answered
	if err == nil && answer != nil {
		a.Value, err = json.Marshal(answer)
	}
	if err != nil {
		var denied fleet.DeniedError
		a.Failed, a.Denied = err.Error(), errors.As(err, &denied)
	}
	data, _ := json.Marshal(a) // texts
	return data
}

// answer does what a method asks for.
func (f *front) answer(ctx context.Context, s *served, method string, data []byte) (any, error) {
	switch method {
	case fleet.MethodHello:
		return handle(data, func(q fleet.Hello, _ []byte) (any, error) { return f.hello(ctx, s, q) })
	case fleet.MethodTestbed:
		return handle(data, func(q fleet.Testbed, _ []byte) (any, error) { return nil, f.describe(ctx, s, q) })
	case fleet.MethodAlive:
		return handle(data, func(q fleet.AliveAsked, _ []byte) (any, error) { return nil, f.alive(ctx, s, q) })
	case fleet.MethodLease:
		return handle(data, func(q fleet.LeaseAsked, _ []byte) (any, error) { return f.lease(ctx, s, q) })
	case fleet.MethodRuns:
		return handle(data, func(q fleet.ReportAsked, _ []byte) (any, error) { return f.runs(ctx, s, q) })
	case fleet.MethodClaim:
		return handle(data, func(q fleet.ReportAsked, _ []byte) (any, error) { return f.claim(ctx, s, q) })
	case fleet.MethodReport:
		return handle(data, func(q fleet.ReportAsked, _ []byte) (any, error) { return nil, f.report(ctx, s, q) })
	case fleet.MethodBusy:
		return handle(data, func(q fleet.Ticket, _ []byte) (any, error) { return nil, f.working(s, q) })
	case fleet.MethodReturn:
		return handle(data, func(q fleet.Returned, _ []byte) (any, error) { return nil, f.giveBack(ctx, s, q) })
	case fleet.MethodChunk:
		return handle(data, func(q fleet.ChunkAsked, octets []byte) (any, error) { return nil, f.chunk(ctx, s, q, octets) })
	case fleet.MethodStored:
		return handle(data, func(q fleet.StoredAsked, _ []byte) (any, error) { return nil, f.stored(ctx, s, q) })
	}
	return nil, fleet.DeniedError{Text: fmt.Sprintf("the hub cannot do %q: use one version of upflab everywhere", method)}
}

// handle reads what is asked.
func handle[Q any](data []byte, do func(q Q, octets []byte) (any, error)) (any, error) {
	var q Q
	octets, err := fleet.Unpack(data, &q)
	if err != nil {
		return nil, err
	}
	return do(q, octets)
}

// name is the agent's, and may says whether it serves a testbed.
func (s *served) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Name
}

func (s *served) may(testbed string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.Testbeds, testbed) {
		return nil
	}
	return fleet.DeniedError{Text: fmt.Sprintf("the hub does not allow agent %s to serve testbed %s: `upflab hub "+
		"add %s --testbed %s` makes a pass that does",
		s.Name, testbed, s.Name, testbed)}
}

// hello lets an agent in, and removes what an earlier one did not finish to hand in.
func (f *front) hello(ctx context.Context, s *served, q fleet.Hello) (any, error) {
	if q.Protocol != fleet.Protocol {
		return nil, fleet.DeniedError{Text: fleet.ProtocolError{Hub: fleet.Protocol, Other: q.Protocol}.Error()}
	}
	if err := s.may(q.Testbed); err != nil {
		return nil, err
	}
	_ = f.conn.SweepUploads(ctx, s.name()) // else at the next start
	return f.conn.Settings, nil
}

// maxSaid is how much an agent may say of a testbed, octets.
const maxSaid = 16 << 10

// describe keeps what a testbed can do.
func (f *front) describe(ctx context.Context, s *served, t fleet.Testbed) error {
	if err := s.may(t.Name); err != nil {
		return err
	}
	t.Agent = s.name()
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if len(data) > maxSaid {
		return fmt.Errorf("the description of a testbed has %d octets; it may have %d", len(data), maxSaid)
	}
	_, err = f.conn.Testbeds.Put(ctx, t.Name, data)
	return err
}

// alive keeps what an agent does, for as long as it counts as alive.
func (f *front) alive(ctx context.Context, s *served, q fleet.AliveAsked) error {
	if err := s.may(q.Testbed); err != nil {
		return err
	}
	if q.Gone {
		return f.conn.Alive.Delete(ctx, q.Testbed)
	}
	q.Alive.Agent = s.name()
	data, err := json.Marshal(q.Alive)
	if err != nil || len(data) > maxSaid {
		return errors.Join(err, errors.New("too much is said"))
	}
	return f.conn.SayAlive(q.Testbed, data)
}

// follow learns of classes of jobs until ctx ends.
func (f *front) follow(ctx context.Context) {
	for ctx.Err() == nil {
		_ = f.conn.Try(ctx, watchFor, func(ctx context.Context) error { return f.classes.watch(ctx, f.conn) })
		_ = wait.Pause(ctx, fleet.Pause)
	}
}
