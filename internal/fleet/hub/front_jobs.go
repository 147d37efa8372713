package hub

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
)

// ticket proves that an agent was given a job.
func (f *front) ticket(agent, job, reply string) fleet.Ticket {
	h := hmac.New(sha256.New, f.key)
	fmt.Fprintf(h, "%s\x00%s\x00%s", agent, job, reply)
	return fleet.Ticket{Job: job, Reply: reply, MAC: h.Sum(nil)}
}

// gave reports whether a ticket is one that the agent was given.
func (f *front) gave(agent string, t fleet.Ticket) bool {
	return hmac.Equal(t.MAC, f.ticket(agent, t.Job, t.Reply).MAC)
}

var errNotGiven = fleet.DeniedError{Text: "the hub did not give this job to this agent"}

// about refuses what an agent says of a job that it was not given and has not begun before.
func (f *front) about(ctx context.Context, agent string, t fleet.Ticket) error {
	if f.gave(agent, t) {
		return nil
	}
	if !fleet.GoodName(t.Job) {
		return errNotGiven
	}
	_, err := f.conn.Runs.Get(ctx, fleet.RunKey(agent, t.Job))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return errNotGiven
	}
	return err
}

// runs gives what was written about a job, or what the agent has begun.
func (f *front) runs(ctx context.Context, s *served, q fleet.ReportAsked) (fleet.RunsKnown, error) {
	if q.Ticket.Job == "" {
		return f.conn.BegunBy(ctx, s.name())
	}
	if err := f.about(ctx, s.name(), q.Ticket); err != nil {
		return fleet.RunsKnown{}, err
	}
	return f.conn.RunsOf(ctx, q.Ticket.Job)
}

// vet reads a report, which has to be signed by the agent, and about the job of its ticket.
func (f *front) vet(ctx context.Context, s *served, q fleet.ReportAsked) (r fleet.Run, err error) {
	agent := s.name()
	if r, err = fleet.DecodeRun(f.conn.Self, fleet.RunKey(agent, q.Ticket.Job), q.Report); err != nil {
		return r, fleet.DeniedError{Text: err.Error()}
	}
	if err := s.may(r.Testbed); err != nil {
		return r, err
	}
	if err := f.about(ctx, agent, q.Ticket); err != nil {
		return r, err
	}
	return r, f.store.room(ctx)
}

// claim writes that a job is begun, unless others wrote about it meanwhile.
func (f *front) claim(ctx context.Context, s *served, q fleet.ReportAsked) (fleet.Claimed, error) {
	r, err := f.vet(ctx, s, q)
	if err != nil {
		return fleet.Claimed{}, err
	}
	err = f.conn.Claim(ctx, r.Agent, r.Job, q.Report, q.Last)
	if errors.Is(err, fleet.ErrWritten) {
		return fleet.Claimed{}, nil
	}
	return fleet.Claimed{Claimed: err == nil}, err
}

// report writes how a run went. A job that has its outcome by that is taken off the queue.
func (f *front) report(ctx context.Context, s *served, q fleet.ReportAsked) error {
	r, err := f.vet(ctx, s, q)
	if err != nil {
		return err
	}
	if _, err := f.conn.Runs.Put(ctx, fleet.RunKey(r.Agent, r.Job), q.Report); err != nil {
		return err
	}
	if r.Final() && f.gave(r.Agent, q.Ticket) {
		s.ended(q.Ticket)
		go f.end(q.Ticket) // the next job need not wait for that
	}
	return nil
}

// end takes a job off the queue. If that fails it is given out again, and who gets it sees that it
// has its outcome.
func (f *front) end(t fleet.Ticket) { _, _ = f.conn.NATS.Request(t.Reply, []byte("+ACK"), fleet.Each) }

// working prolongs the time in which a job has to have its outcome.
func (f *front) working(s *served, t fleet.Ticket) error {
	if !f.gave(s.name(), t) || s.isOver(t) {
		return errNotGiven
	}
	return f.conn.NATS.Publish(t.Reply, []byte("+WPI"))
}

// giveBack gives a job to another, or takes it off the queue if it has its outcome.
func (f *front) giveBack(ctx context.Context, s *served, q fleet.Returned) error {
	if !f.gave(s.name(), q.Ticket) {
		return errNotGiven
	}
	s.ended(q.Ticket)
	return f.back(ctx, q.Ticket, q.Delay)
}

// longestDelay bounds for how long nobody may take a job that was given back.
const longestDelay = 10 * time.Second

func (f *front) back(ctx context.Context, t fleet.Ticket, delay time.Duration) error {
	known, err := f.conn.RunsOf(ctx, t.Job)
	if err != nil {
		return err
	}
	for _, k := range known.Runs {
		if r, err := f.conn.DecodeRun(k.Key, k.Report); err == nil && r.Final() {
			f.end(t)
			return nil
		}
	}
	return f.conn.NATS.Publish(t.Reply, fmt.Appendf(nil, `-NAK {"delay": %d}`, min(max(delay, 0), longestDelay).Nanoseconds()))
}

// longestWait bounds how long a question for a job may stay at the hub.
const longestWait = 10 * time.Second

// next gives an agent a job, when there is one. An agent has one for each testbed at most.
func (f *front) next(s *served, m *nats.Msg) {
	var q fleet.NextAsked
	_, err := fleet.Unpack(m.Data, &q)
	if err == nil {
		err = s.may(q.Testbed.Name)
	}
	if err != nil || m.Reply == "" {
		f.respond(m, nil, err)
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), max(min(q.Wait, longestWait), time.Millisecond))
	defer stop()
	o, err := f.offersFor(s, q.Testbed.Name)
	if err != nil {
		f.respond(m, nil, err)
		return
	}
	job, err := f.find(ctx, s, o, q.Testbed)
	if err != nil || job == nil {
		f.respond(m, fleet.Offer{}, err)
		return
	}
	f.hand(s, o, m, job)
}

// find waits for a job, after the one that the agent had is given back; nil: none came.
func (f *front) find(ctx context.Context, s *served, o *offers, t fleet.Testbed) (*nats.Msg, error) {
	if !o.asking.TryLock() {
		return nil, errors.New("it is asking already")
	}
	defer o.asking.Unlock()
	if last := o.give(fleet.Ticket{}); last.Job != "" {
		s.ended(last)
		if err := f.back(ctx, last, 0); err != nil {
			o.give(last)
			return nil, err
		}
	}
	return o.next(ctx, &f.classes, t), nil
}

// bounces is how soon the server says that nobody listens.
const bounces = 200 * time.Millisecond

// hand gives an agent a job. One that is gone meanwhile has no inbox any more, which the
// server says at once.
func (f *front) hand(s *served, o *offers, m, job *nats.Msg) {
	j, err := fleet.DecodeJob(f.conn.Self, job.Data)
	if err != nil {
		f.lines.Say(f.notice, "queue", "a message in the queue was refused: "+err.Error())
		_ = job.Respond([]byte("+TERM " + err.Error()))
		f.respond(m, fleet.Offer{}, nil)
		return
	}
	t := f.ticket(s.name(), j.ID, job.Reply)
	o.give(t)
	answer := answered(fleet.Offer{Job: job.Data, Ticket: t}, nil)
	go func() {
		_, err := f.conn.NATS.Request(m.Reply, answer, bounces)
		if errors.Is(err, nats.ErrNoResponders) && o.take(t) {
			_ = job.Respond([]byte("-NAK"))
		}
	}()
}
