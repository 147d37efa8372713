package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
)

// task is one job in this agent's hands.
type task struct {
	agent *Agent
	msg   offer
	job   fleet.Job
	run   fleet.Run
}

// work deals with one message of the queue. Its error ends the agent.
func (a *Agent) work(ctx context.Context, msg offer) error {
	job, err := fleet.DecodeJob(msg.Data())
	if err != nil {
		a.config.Notice("a job was refused: " + err.Error())
		return retry(ctx, func(context.Context) error { return msg.TermWithReason(err.Error()) })
	}
	t := &task{agent: a, msg: msg, job: job, run: a.reportOn(job)}
	mine, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer a.lease.during(func() { _ = msg.InProgress() }, stop)()
	begin, err := t.begin(mine)
	if err != nil || !begin {
		return t.stopped(ctx, err)
	}
	a.doing.set("running", "", &job)
	if err := t.measure(mine); err != nil {
		return t.stopped(ctx, err)
	}
	if err = t.handIn(mine); err == nil {
		a.acks.Go(func() { _ = t.ack(ctx) }) // the next job need not wait for that
	}
	return t.stopped(ctx, err)
}

func (a *Agent) reportOn(j fleet.Job) fleet.Run {
	return fleet.Run{Job: j.ID, Name: j.Name, Campaign: j.Campaign, Agent: a.config.Testbed.Agent, Testbed: a.config.Testbed.Name,
		Host: a.config.Testbed.Host, State: fleet.Started}
}

// begin writes down that the job is begun, unless it has its outcome or is another's. The
// hub takes that only if nobody has written about the job since it was looked at: one that
// was killed may have forgotten to whom it gave a job, and give it to two. Nearly always
// nobody has been at the job before, so at first nobody is asked.
func (t *task) begin(ctx context.Context) (bool, error) {
	var before []fleet.Run
	last := uint64(0)
	for {
		if free, err := t.isFree(ctx, before); !free || err != nil {
			return false, err
		}
		t.run.Attempts = attemptsOf(before, t.run.Agent) + 1
		claimed, err := t.claim(ctx, last)
		if claimed || err != nil {
			return claimed, err
		}
		if before, last, err = t.others(ctx); err != nil {
			return false, err
		}
		if n := len(before); n > 0 && before[n-1] == t.run { // the hub wrote it, and was lost before it could say so
			return true, nil
		}
	}
}

// isFree reports whether the job can be begun, as far as that is seen from what was written
// about it. If it has its outcome, or gets it now, it is taken off the queue.
func (t *task) isFree(ctx context.Context, before []fleet.Run) (bool, error) {
	attempts, last := 0, ""
	for _, r := range before {
		if r.Final() {
			return false, t.ack(ctx)
		}
		attempts += r.Attempts
		last = r.Agent
	}
	for _, r := range before {
		if r.Agent != t.run.Agent && r.State == fleet.Started && t.agent.holds(ctx, r) {
			return false, t.msg.NakWithDelay(2 * time.Second)
		}
	}
	if attempts < t.job.Attempts {
		return true, nil
	}
	t.run.State, t.run.Attempts = fleet.Failed, attemptsOf(before, t.run.Agent)
	t.run.Error = fmt.Sprintf("begun %d times and never finished, at last by agent %s", attempts, last)
	return false, errors.Join(t.report(ctx), t.ack(ctx))
}

// attemptsOf is how often an agent began the job.
func attemptsOf(before []fleet.Run, agent string) int {
	for _, r := range before {
		if r.Agent == agent {
			return r.Attempts
		}
	}
	return 0
}

// others gives what is written down about the job, in the order of writing, and the
// revision of the last of it.
func (t *task) others(ctx context.Context) (list []fleet.Run, last uint64, err error) {
	err = retry(ctx, func(ctx context.Context) (err error) {
		list, last, err = t.agent.conn.RunsOf(ctx, t.job.ID)
		return err
	})
	return list, last, err
}

// claim writes down that the job is begun. It is false when others wrote since a revision.
func (t *task) claim(ctx context.Context, last uint64) (claimed bool, err error) {
	err = retryNoting(ctx, func(ctx context.Context) error {
		err := t.agent.conn.Claim(ctx, t.run, last)
		if claimed = err == nil; errors.Is(err, fleet.ErrWritten) {
			return nil
		}
		return err
	}, t.agent.troubled)
	return claimed, err
}

// holds reports whether the testbed of a run is still its agent's.
func (a *Agent) holds(ctx context.Context, r fleet.Run) bool {
	holds := false
	_ = retry(ctx, func(ctx context.Context) error {
		e, err := a.conn.Leases.Get(ctx, r.Testbed)
		if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrInvalidKey) {
			return nil
		}
		if err != nil {
			return err
		}
		l, err := fleet.JSON[fleet.Lease]("", e.Value())
		holds = err == nil && l.Agent == r.Agent
		return nil
	})
	return holds
}

// report writes the state of the run down at the hub.
func (t *task) report(ctx context.Context) error {
	return retryNoting(ctx, func(ctx context.Context) error {
		return fleet.Put(ctx, t.agent.conn.Runs, fleet.RunKey(t.run.Agent, t.run.Job), t.run)
	}, t.agent.troubled)
}

// ack takes the job off the queue. A hub that was restarted does not confirm what it had
// done before; one that had not done it gives the job out again, and who gets it sees that
// it has its outcome.
func (t *task) ack(ctx context.Context) error {
	const tries = 2
	for range tries {
		err := t.agent.conn.Try(ctx, fleet.Each, t.msg.DoubleAck)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// measure runs the job, and keeps its result on the disk. An error means that there is
// none, and another agent may try.
func (t *task) measure(ctx context.Context) error {
	a, began := t.agent, time.Now()
	a.config.Notice("begin " + t.job.Name)
	if err := a.spool.begin(t.job.ID); err != nil {
		return a.explainDisk(err)
	}
	limited, stop := context.WithTimeoutCause(ctx, t.job.Limit, errTooLong)
	defer stop()
	dir := a.spool.path(t.job.ID)
	status, err := a.config.Runner.Run(limited, t.job, a.config.Testbed, dir)
	t.run.Took, t.run.Status = time.Since(began), status
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		t.run.State, t.run.Error = fleet.Failed, fmt.Sprintf("it took longer than the %s that the campaign allows", t.job.Limit)
	case err != nil:
		return a.explainDisk(err)
	default:
		if err := t.judge(dir); err != nil {
			return err
		}
	}
	a.config.Notice(fmt.Sprintf("%s: %s after %s %s", t.job.Name, t.run.State, t.run.Took.Round(time.Second), t.run.Error))
	return a.explainDisk(a.spool.finish(t.run))
}

var errTooLong = errors.New("the job took longer than allowed")

// judge reads the exit status of the run. Statuses 3 and 4 are those of results that are
// not valid, or worse than asked for.
func (t *task) judge(dir string) error {
	t.run.State = fleet.Done
	if t.run.Status == 0 || t.run.Status == 3 || t.run.Status == 4 {
		return nil
	}
	a := t.agent
	if free := freeBytes(a.config.Dir); free >= 0 && free < a.config.MinFree {
		return a.explainDisk(errors.New(lastLine(dir)))
	}
	t.run.State, t.run.Error = fleet.Failed, lastLine(dir)
	return nil
}

// explainDisk says that a full disk is the reason, if it is.
func (a *Agent) explainDisk(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (%d MB are free on the disk of %s)", err, max(freeBytes(a.config.Dir), 0)>>20, a.config.Dir)
}

// stopped ends a task. When it ended with an error the job goes to another agent, who is
// told why.
func (t *task) stopped(ctx context.Context, err error) error {
	if err == nil {
		return t.agent.spool.drop(t.job.ID)
	}
	if ctx.Err() != nil && t.agent.spool.hasReport(t.job.ID) {
		return ctx.Err() // its result is handed in by the agent's successor
	}
	t.run.State, t.run.Error = fleet.Lost, err.Error()
	if ctx.Err() != nil { // the agent is stopped, which is not the job's fault
		t.run.Error = "the agent was stopped"
		t.run.Attempts = max(t.run.Attempts-1, 0)
		last, stop := context.WithTimeout(context.Background(), fleet.Each)
		defer stop()
		return errors.Join(ctx.Err(), t.report(last), t.msg.Nak(), t.agent.spool.drop(t.job.ID))
	}
	t.agent.config.Notice(t.job.Name + " was given up: " + err.Error())
	if errors.Is(err, errLeaseLost) { // the queue gives it to another by itself
		if t.agent.spool.hasReport(t.job.ID) {
			return nil
		}
		return errors.Join(t.agent.spool.drop(t.job.ID), t.report(ctx))
	}
	if err := t.agent.spool.drop(t.job.ID); err != nil {
		t.agent.config.Notice(err.Error())
	}
	if err := t.report(ctx); err != nil {
		return err
	}
	return retry(ctx, func(context.Context) error { return t.msg.NakWithDelay(4 * fleet.Pause) })
}

// troubled says that the hub does not take what it is given.
func (a *Agent) troubled(err error) {
	a.config.Notice("the hub does not take a report: " + err.Error())
}
