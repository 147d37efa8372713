package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/wait"
)

// task is one job in this agent's hands.
type task struct {
	agent  *Agent
	ticket fleet.Ticket
	job    fleet.Job
	run    fleet.Run
}

// work deals with one job of the queue. Its error ends the agent.
func (a *Agent) work(ctx context.Context, o fleet.Offer) error {
	job, err := a.accept(o)
	if err != nil {
		a.config.Notice("a job was refused: " + err.Error())
		return retry(ctx, func(ctx context.Context) error { return a.giveBack(ctx, o.Ticket, 4*fleet.Pause) })
	}
	t := &task{agent: a, ticket: o.Ticket, job: job, run: a.reportOn(job)}
	mine, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer a.lease.during(t.busy, stop)()
	begin, err := t.begin(mine)
	if err != nil || !begin {
		return t.stopped(ctx, err)
	}
	if err := a.allows(job); err != nil {
		return t.refuse(ctx, err)
	}
	a.doing.set("running", "", &job)
	if err := t.measure(mine); err != nil {
		return t.stopped(ctx, err)
	}
	return t.stopped(ctx, t.handIn(mine))
}

// accept verifies that a job is the operator's, and for this testbed.
func (a *Agent) accept(o fleet.Offer) (fleet.Job, error) {
	job, err := fleet.DecodeJob(a.conn.Self, o.Job)
	if err != nil {
		return job, err
	}
	if missing := job.Class.Missing(a.config.Testbed); missing != "" {
		return job, fmt.Errorf("job %s is not for testbed %s: %s", job.ID, a.config.Testbed.Name, missing)
	}
	return job, nil
}

// allows refuses a job that the testbed's owner does not allow, and one that is given to the
// agent again after it was handed in: the operator signs a job anew that is to be measured again.
func (a *Agent) allows(job fleet.Job) error {
	if a.spool.hasDone(job) {
		return fmt.Errorf("job %s was measured here before, and the operator has not asked for it again", job.ID)
	}
	uses, err := job.Uses()
	if err != nil {
		return err
	}
	return a.config.Policy.Allows(uses)
}

// refuse gives a job up that the testbed does not allow. It counts as an attempt.
func (t *task) refuse(ctx context.Context, why error) error {
	t.run.State, t.run.Error = fleet.Lost, "refused: "+why.Error()
	t.agent.config.Notice(t.job.Name + " was refused: " + why.Error())
	if err := t.report(ctx); err != nil {
		return err
	}
	return retry(ctx, func(ctx context.Context) error { return t.agent.giveBack(ctx, t.ticket, 4*fleet.Pause) })
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
	var before []earlier
	last := uint64(0)
	for range claims {
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
		if n := len(before); n > 0 && before[n-1].Same(t.run) { // the hub wrote it, and was lost before it could say so
			return true, nil
		}
	}
	t.agent.config.Notice(fmt.Sprintf("%s goes back into the queue: others wrote about it %d times while it was "+
		"to be begun", t.job.Name, claims))
	return false, t.agent.giveBack(ctx, t.ticket, 4*fleet.Pause)
}

// claims is how often a job is claimed before it is given back: an agent that was given it before
// may report on it without end.
const claims = 8

// earlier is what was written about the job. held: its agent holds its testbed.
type earlier struct {
	fleet.Run
	held bool
}

// isFree reports whether the job can be begun, as far as that is seen from what was written
// about it. If it has its outcome, or gets it now, it is taken off the queue.
func (t *task) isFree(ctx context.Context, before []earlier) (bool, error) {
	attempts, last, why := 0, "", ""
	for _, r := range before {
		if r.Final() {
			return false, t.agent.giveBack(ctx, t.ticket, 0)
		}
		attempts += r.Attempts
		last, why = r.Agent, r.Error
	}
	for _, r := range before {
		if r.Agent != t.run.Agent && r.State == fleet.Started && r.held {
			return false, t.agent.giveBack(ctx, t.ticket, 2*time.Second)
		}
	}
	if attempts < t.job.Attempts {
		return true, nil
	}
	t.run.State, t.run.Attempts = fleet.Failed, attemptsOf(before, t.run.Agent)
	t.run.Error = fmt.Sprintf("begun %d times and never finished, at last by agent %s", attempts, last)
	if why != "" {
		t.run.Error += ": " + why
	}
	return false, t.report(ctx)
}

// attemptsOf is how often an agent began the job.
func attemptsOf(before []earlier, agent string) int {
	for _, r := range before {
		if r.Agent == agent {
			return r.Attempts
		}
	}
	return 0
}

// others gives what is written down about the job, in the order of writing, and the
// revision of the last of it. What nobody signed whom the operator lets in is not among it.
func (t *task) others(ctx context.Context) (list []earlier, last uint64, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		known, err := fleet.Question[fleet.RunsKnown](ctx, t.agent.conn, fleet.MethodRuns, fleet.ReportAsked{Ticket: t.ticketOrName()})
		list, last = nil, known.Last
		for _, k := range known.Runs {
			if r, err := fleet.DecodeRun(t.agent.conn.Self, k.Key, k.Report); err == nil {
				list = append(list, earlier{r, k.Held})
			}
		}
		return err
	})
	return list, last, err
}

// claim writes down that the job is begun. It is false when others wrote since a revision.
func (t *task) claim(ctx context.Context, last uint64) (claimed bool, err error) {
	signed, err := t.run.Sign(t.agent.conn.Self)
	if err != nil {
		return false, err
	}
	err = retryNoting(ctx, func(ctx context.Context) error {
		c, err := fleet.Question[fleet.Claimed](ctx, t.agent.conn, fleet.MethodClaim,
			fleet.ReportAsked{Ticket: t.ticketOrName(), Report: signed, Last: last})
		claimed = c.Claimed
		return err
	}, t.agent.troubled)
	return claimed, err
}

// report writes the state of the run down at the hub, which takes a job with an outcome off
// the queue.
func (t *task) report(ctx context.Context) error {
	signed, err := t.run.Sign(t.agent.conn.Self)
	if err != nil {
		return err
	}
	return retryNoting(ctx, func(ctx context.Context) error {
		return t.agent.ask(ctx, fleet.MethodReport, fleet.ReportAsked{Ticket: t.ticketOrName(), Report: signed})
	}, t.agent.troubled)
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
	return a.explainDisk(a.spool.finish(t.run, t.job))
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
	if free := safefile.FreeBytes(a.config.Dir); free >= 0 && free < a.config.MinFree {
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
	return fmt.Errorf("%w (%d MB are free on the disk of %s)", err, max(safefile.FreeBytes(a.config.Dir), 0)>>20, a.config.Dir)
}

// stopped ends a task. When it ended with an error the job goes to another agent, who is
// told why.
func (t *task) stopped(ctx context.Context, err error) error {
	if err == nil {
		return t.agent.spool.drop(t.job.ID)
	}
	var denied fleet.DeniedError
	if errors.As(err, &denied) { // the job is another's: what was said of it came too late
		t.agent.config.Notice(t.job.Name + ": " + err.Error())
		return errors.Join(wait.Pause(ctx, fleet.Pause), t.agent.spool.drop(t.job.ID))
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
		return errors.Join(ctx.Err(), t.report(last), t.agent.giveBack(last, t.ticket, 0), t.agent.spool.drop(t.job.ID))
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
	return retry(ctx, func(ctx context.Context) error { return t.agent.giveBack(ctx, t.ticket, 4*fleet.Pause) })
}

// troubled says that the hub does not take what it is given.
func (a *Agent) troubled(err error) {
	a.config.Notice("the hub does not take a report: " + err.Error())
}
