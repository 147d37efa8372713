package n4load

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Config says on which sessions a load works, and by which client.
type Config struct {
	// Client has the association. The load takes its tap until Close.
	Client *smf.Client
	// Sessions are those on which procedures work, none of them established. New sets their Index to
	// their place in the list.
	Sessions []smf.Session
	// Page sends a downlink packet to a UE. When it is nil, Paging finds no session.
	Page func(ue netip.Addr) error
}

// Load runs procedures on the sessions of one client. One of its methods may run at a time.
type Load struct {
	client *smf.Client
	page   func(netip.Addr) error
	begun  time.Time // times count from it

	mu      sync.Mutex
	pool    *population
	pending int              // tasks under way
	bySEID  map[uint64]*task // tasks that wait for a report, by CP SEID
	reader  *smf.Writer      // used by the client's reader, which sends what follows an answer
	changed chan struct{}    // receives when a task has ended
	free    []*task
	tally   *Outcome // of the offer under way; nil counts nothing
	refused uint64   // requests, since New
	cause   pfcp.Cause
	reports uint64
}

// task is a procedure under way, with the transaction of its latest message.
type task struct {
	smf.Transaction
	load      *Load
	procedure Procedure
	kind      kind
	member    *member
	step      int
	due, sent int64 // ns since Load.begun: when it was due, and when its first message was sent
	last      int64 // the first transmission of its latest message
	counted   bool
}

// New makes a load. A session that no UPF could take is an error.
func New(c Config) (*Load, error) {
	for i := range c.Sessions {
		c.Sessions[i].Index = i
		if err := c.Sessions[i].Check(); err != nil {
			return nil, err
		}
	}
	l := &Load{client: c.Client, page: c.Page, begun: time.Now(), pool: newPopulation(c.Sessions),
		bySEID: map[uint64]*task{}, reader: c.Client.NewWriter(), changed: make(chan struct{}, 1)}
	c.Client.SetTap(&smf.Tap{Request: l.request})
	return l, nil
}

// Close removes the load's tap from the client. Sessions stay as they are.
func (l *Load) Close() { l.client.SetTap(nil) }

func (l *Load) now() int64 { return l.since(time.Now()) }

func (l *Load) since(at time.Time) int64 { return int64(at.Sub(l.begun)) }

// Established counts the sessions of the load that the UPF has, as far as is known.
func (l *Load) Established() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pool.count(active) + l.pool.count(idle)
}

// Lost counts the sessions whose state nobody knows, because a request about them was never answered.
func (l *Load) Lost() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.pool.members {
		if l.pool.members[i].state == unknown {
			n++
		}
	}
	return n
}

// errNone is the error of a procedure that finds no session in the state in which it begins.
var errNone = errors.New("no session is in the state in which the procedure begins")

// start begins a procedure that was due at a time. It returns after the message was sent.
func (l *Load) start(w *smf.Writer, p Procedure, due int64, counted bool) error {
	k := kinds[p]
	if k.report && l.page == nil {
		return errNone
	}
	l.mu.Lock()
	m := l.pool.take(k.from)
	if m == nil {
		l.mu.Unlock()
		return errNone
	}
	t := l.newTask()
	l.pending++
	*t = task{load: l, procedure: p, kind: k, member: m, due: due, counted: counted, sent: l.now()}
	if l.tally != nil && counted {
		l.tally.sent(t)
	}
	if k.report {
		t.last = t.sent
		l.bySEID[m.CPSEID] = t
		l.mu.Unlock()
		return l.page(m.UE)
	}
	b := l.next(w, t)
	l.mu.Unlock()
	return l.client.Send(b)
}

// next writes a task's next message and begins its transaction; the lock is held.
func (l *Load) next(w *smf.Writer, t *task) []byte {
	t.last = l.now()
	l.client.Begin(&t.Transaction, t.kind.steps[t.step](l.client, w, t.member), retransmission, t)
	return t.Bytes
}

func (l *Load) newTask() *task {
	if n := len(l.free); n > 0 {
		t := l.free[n-1]
		l.free = l.free[:n-1]
		return t
	}
	return new(task)
}

// Answered implements smf.Waiter: the task continues with its next message.
func (t *task) Answered(h pfcp.Header, ies []byte, _ netip.AddrPort, at time.Time) {
	var m smf.Message
	_ = m.Read(h, ies, smf.Tolerant) // what cannot be read is absent
	l := t.load
	l.mu.Lock()
	b := l.advance(t, &m, l.since(at))
	l.mu.Unlock()
	if b != nil {
		_ = l.client.Send(b) // a connection that is gone shows at the sender
	}
}

// Unanswered implements smf.Waiter: nobody knows in which state the session is now.
func (t *task) Unanswered() {
	l := t.load
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(t, unknown)
}

// advance takes an answer that came at a time and returns the next message, nil when the task has
// ended; the lock is held.
func (l *Load) advance(t *task, m *smf.Message, at int64) []byte {
	if t.counted && l.tally != nil {
		l.tally.answered(t, at)
	}
	if !m.Accepted() {
		l.refuse(t, m.Cause)
		return nil
	}
	switch t.Type {
	case pfcp.SessionEstablishmentRequest:
		t.member.Accept(t.CPSEID, m)
		l.client.Hold(&t.member.Established)
	case pfcp.SessionDeletionRequest:
		l.client.Forget(t.member.CPSEID)
	}
	if t.step++; t.step < len(t.kind.steps) {
		return l.next(l.reader, t)
	}
	if t.counted && l.tally != nil {
		l.tally.done(t, at)
	}
	l.end(t, t.kind.to)
	return nil
}

// refuse ends a task whose request was rejected. A session that the UPF does not know is gone.
func (l *Load) refuse(t *task, cause pfcp.Cause) {
	l.refused++
	l.cause = cause
	if t.counted && l.tally != nil {
		l.tally.refuse(t, cause)
	}
	back := t.kind.from
	switch {
	case t.step > 0 && t.kind.from == gone: // established, and then refused
		back = active
	case cause == pfcp.Cause(ie.CauseSessionContextNotFound) && t.kind.from != gone:
		l.client.Forget(t.member.CPSEID)
		back = gone
	}
	l.end(t, back)
}

// end ends a task, and puts its session into a state; the lock is held.
func (l *Load) end(t *task, to state) {
	l.pool.put(t.member, to)
	t.member, t.Bytes = nil, nil
	l.pending--
	l.free = append(l.free, t)
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// request is called by the client's tap. The report of a downlink packet continues its paging.
func (l *Load) request(h pfcp.Header, _ []byte) {
	if h.Type != pfcp.SessionReportRequest {
		return
	}
	l.mu.Lock()
	l.reports++
	t := l.bySEID[h.SEID]
	if t == nil {
		l.mu.Unlock()
		return
	}
	delete(l.bySEID, h.SEID)
	b := l.next(l.reader, t)
	l.mu.Unlock()
	_ = l.client.Send(b)
}

// Refusal is the error of a UPF that refused a request which it should have accepted.
type Refusal struct {
	Procedure Procedure
	Cause     pfcp.Cause
}

// Error names the procedure and the cause.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the UPF refused to %s: %s", r.Procedure, r.Cause)
}

// Silence is the error of a UPF that does not answer any more.
type Silence struct {
	Procedure Procedure
	Waited    time.Duration
}

// Error says for how long the UPF was asked.
func (s *Silence) Error() string {
	return fmt.Sprintf("no answer to %s within %v, sent again and again", s.Procedure, s.Waited.Round(time.Millisecond))
}
