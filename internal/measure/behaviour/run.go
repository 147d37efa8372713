package behaviour

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/record"
)

// Attempts is how often a case is run, on new sessions, before packets that are missing
// or late are held against the UPF.
const Attempts = 3

// Run runs a case and gives its row. capture is where the packets of a case with a
// finding are written; "": nowhere. The error is of the bench, not of the UPF.
func (b *Bench) Run(ctx context.Context, c *Case, capture string) (record.Case, error) {
	row := record.Case{ID: c.ID, Title: c.Title, Clause: c.Clause, Verdict: record.VerdictEnforced}
	for n := 1; ; n++ {
		failed, err := b.captured(ctx, c, capture, &row)
		switch {
		case err != nil:
			return row, err
		case failed == nil:
			return row, nil
		case failed.Soft && n < Attempts:
			continue
		}
		b.blame(failed, c.ID)
		row.Verdict, row.Cause, row.Expected, row.Observed, row.Symptom = failed.Verdict, failed.Cause,
			failed.Expected, failed.Observed, failed.Symptom
		if row.Verdict.Bad() && (c.Keeps == "" || row.Attack.Keeps()) {
			row.Capture = capture
		}
		return row, nil
	}
}

// captured is an attempt whose packets are kept when it fails.
func (b *Bench) captured(ctx context.Context, c *Case, path string, row *record.Case) (*fail.Failure, error) {
	if c.Keeps != "" {
		return b.attempt(ctx, c, path, row)
	}
	stop := func(string, func([]byte) string) error { return nil }
	if path != "" {
		var err error
		if stop, err = b.Lab.Capture(); err != nil {
			return nil, err
		}
	}
	failed, err := b.attempt(ctx, c, "", row)
	if failed == nil || !failed.Verdict.Bad() {
		path = ""
	}
	return failed, errors.Join(err, stop(path, func(frame []byte) string { return b.wanted.of(frame, b.Inbox.Run) }))
}

// attempt runs a case once.
func (b *Bench) attempt(ctx context.Context, c *Case, file string, row *record.Case) (*fail.Failure, error) {
	if err := b.ready(ctx); err != nil {
		return nil, err
	}
	t := b.attemptAt(ctx, c, file)
	err := t.steps(c)
	row.Attack, row.Rate, row.Usage = t.Attack, t.Rate, t.Usage
	row.Flows, row.Shown, row.IPsec = t.Flows, t.Shown, t.IPsec
	if err == nil {
		t.Wait(behind)
		err = fail.FirstOf(t.stragglers(), t.malformedReports(), t.unasked(), t.lacking)
	}
	if c.Upsets {
		b.associated = false
	}
	if err == nil {
		t.shown()
	}
	var failed *fail.Failure
	if err != nil && !errors.As(err, &failed) || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	if failed != nil && t.Fixture.lacks != "" {
		failed = fail.Inapplicable("%s", t.Fixture.lacks).(*fail.Failure)
	}
	if failed != nil {
		failed = b.unprovable(t.named(failed), c.ID)
	}
	if failed != nil && failed.Refusal {
		failed.Verdict = c.Need.refused(b.Features)
	}
	if failed != nil && failed.Silent && c.Need.refused(b.Features) == record.VerdictRefused {
		failed.Verdict, failed.Soft = record.VerdictRefused, false // a message that it does not know
	}
	if died := b.died(ctx, failed); died != nil {
		return died, b.Restart(ctx)
	}
	return failed, t.end()
}

// attemptAt is an attempt at a case with new UEs.
func (b *Bench) attemptAt(ctx context.Context, c *Case, file string) *T {
	t := NewT(ctx, b, b.fixture(c))
	t.Title, t.File = c.Title, file
	return t
}

// NewT is an attempt with the UEs and addresses of a fixture.
func NewT(ctx context.Context, b *Bench, g *Fixture) *T {
	return &T{traffic: &traffic{control: &control{Bench: b, Ctx: ctx, Fixture: g, sessions: map[*UE]*Session{}}}}
}

func (t *T) steps(c *Case) error {
	list := c.Steps(t.Fixture)
	if t.Fixture.lacks != "" {
		return fail.Inapplicable("%s", t.Fixture.lacks)
	}
	for _, s := range list {
		if err := s.Do(t); err != nil {
			return err
		}
		if t.Ctx.Err() != nil {
			return t.Ctx.Err()
		}
	}
	return nil
}

// ready makes sure that the association stands, and forgets what came before.
func (b *Bench) ready(ctx context.Context) error {
	b.Inbox.Clear()
	b.wanted = nil
	b.peer.Forget()
	if b.associated {
		return nil
	}
	if err := b.associate(ctx, n4.Patience{T1: time.Second, Tries: 5}); err != nil {
		return b.Restart(ctx) // it may have lost its way
	}
	return nil
}

// died is the failure of a UPF that has ended, or that answers nothing any more.
func (b *Bench) died(ctx context.Context, failed *fail.Failure) *fail.Failure {
	gone := b.Lab.Alive()
	if gone == nil && failed != nil && failed.Silent {
		if _, err := b.peer.Ask(ctx, b.peer.Heartbeat(), patience); errors.Is(err, n4.ErrUnanswered) {
			gone = errors.New("it does not answer heartbeats any more")
		}
	}
	if gone == nil {
		return nil
	}
	f := &fail.Failure{Verdict: record.VerdictDied, Symptom: fail.Died, Expected: "the UPF lives", Observed: gone.Error()}
	if failed != nil {
		f.Expected, f.Cause = failed.Expected, failed.Cause
	}
	return f
}
