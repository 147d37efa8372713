package bisect

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// span is what is known: bad is slower, the good ones are not, of the passed nothing is
// known.
type span struct {
	bad    Commit
	good   []Commit
	passed []string
}

// halve tries commits until one is left, or only those that cannot be told.
func (s *Search) halve(ctx context.Context, r *Result) error {
	known := span{bad: r.Bad, good: []Commit{r.Good}}
	for {
		ids, err := s.Repo.suspects(ctx, known.bad, known.good)
		if err != nil {
			return err
		}
		next := known.next(ids)
		if next == "" {
			return s.conclude(ctx, r, known, ids)
		}
		commit, err := s.Repo.describe(ctx, next)
		if err != nil {
			return err
		}
		step, err := s.try(ctx, commit, len(ids), r)
		if err != nil {
			return err
		}
		known.learn(step)
		r.Steps = append(r.Steps, step)
		if err := s.Save(r); err != nil {
			return err
		}
	}
}

// next is the commit to try: the one that divides the suspects best. Where some were
// passed it comes from another part of the list, for their neighbours often fail alike.
// "": there is none.
func (k *span) next(ids []string) string {
	var open []string
	passed := 0
	for _, id := range ids {
		switch {
		case slices.Contains(k.passed, id):
			passed++
		case id != k.bad.ID:
			open = append(open, id)
		}
	}
	if len(open) == 0 {
		return ""
	}
	return open[len(open)*(passed%3)/3]
}

func (k *span) learn(s Step) {
	switch s.Verdict {
	case Slower:
		k.bad = s.Commit
	case NotSlower:
		k.good = append(k.good, s.Commit)
	default:
		k.passed = append(k.passed, s.Commit.ID)
	}
}

// try builds and measures one commit.
func (s *Search) try(ctx context.Context, c Commit, left int, r *Result) (Step, error) {
	step := Step{Commit: c, Left: left}
	s.Progress(fmt.Sprintf("%d commits left: building %s (%s)", left, c.Short(), c.Subject))
	p, err := s.Builder.Build(ctx, otherTree, c, 0)
	if passed := step.pass(err); passed || err != nil {
		return step, ignore(err, passed)
	}
	for repeats := s.Repeats; repeats > 0; {
		s.Progress(fmt.Sprintf("measuring %s and good, %d times each", c.Short(), repeats))
		readings, err := s.inLayouts(ctx, p, repeats, 1, r.Check, func(list []Reading) bool { return !s.byLayout(list, r) })
		if passed := step.pass(err); passed || err != nil {
			return step, ignore(err, passed)
		}
		step.Repeats = repeats
		step.decide(readings, *r.Check, r.Limit)
		if step.Verdict != CannotTell {
			break
		}
		repeats = s.again(repeats, step.Needed)
	}
	return step, nil
}

// byLayout reports whether a step is undecided by the layout of the code alone.
func (s *Search) byLayout(list []Reading, r *Result) bool {
	at := slices.IndexFunc(list, func(x Reading) bool { return x.Same(*r.Check) })
	return at >= 0 && list[at].Known && Decide(list[at], r.Limit) == CannotTell && (list[at].Hi < r.Limit || list[at].Lo > r.Limit)
}

// pass reports whether the commit cannot be tried, and notes why.
func (t *Step) pass(err error) bool {
	var broken BuildError
	if !errors.As(err, &broken) {
		return false
	}
	t.Verdict, t.Why, t.Reading = Skipped, broken.Why, nil
	return true
}

func ignore(err error, passed bool) error {
	if passed {
		return nil
	}
	return err
}

// decide judges the figure that good and bad differ in.
func (t *Step) decide(readings []Reading, of Reading, limit float64) {
	t.Verdict, t.Reading, t.Needed, t.Why = CannotTell, nil, 0, "the figure "+of.Name()+" was not measured"
	at := slices.IndexFunc(readings, func(r Reading) bool { return r.Same(of) })
	if at < 0 {
		return
	}
	t.Reading, t.Verdict, t.Why = &readings[at], Decide(readings[at], limit), ""
	if t.Verdict == CannotTell {
		t.Needed, t.Why = Needed(readings[at], limit), readings[at].Why
	}
}

// border builds the commit that would be named, and the last one that was not slower, in another layout: both have to
// be what they were. Where the layout cannot be varied nothing is asked again.
func (s *Search) border(ctx context.Context, r *Result, known span) (stays bool, err error) {
	last := known.good[len(known.good)-1]
	for _, c := range []struct {
		Commit
		want Verdict
	}{{known.bad, Slower}, {last, NotSlower}} {
		if c.ID == r.Good.ID || s.fixed != "" || s.Layouts <= 1 {
			continue
		}
		s.Progress(fmt.Sprintf("confirming that %s is %s", c.Short(), c.want))
		step := Step{Commit: c.Commit, Left: 1, Repeats: s.Repeats, Confirms: true}
		p, err := s.Builder.Build(ctx, otherTree, c.Commit, 0)
		if err != nil {
			return false, err
		}
		const another = 2
		readings, err := s.inLayouts(ctx, p, s.Repeats, another, r.Check, func(list []Reading) bool { return !s.byLayout(list, r) })
		if err != nil {
			return false, err
		}
		step.decide(readings, *r.Check, r.Limit)
		r.Steps = append(r.Steps, step)
		if step.Verdict != c.want {
			return false, s.Save(r)
		}
	}
	return true, nil
}

// conclude says what is known when no commit is left to try.
func (s *Search) conclude(ctx context.Context, r *Result, known span, ids []string) error {
	if len(ids) == 1 {
		stays, err := s.border(ctx, r, known)
		if err != nil {
			return err
		}
		if stays {
			r.Outcome, r.First = Found, &known.bad
			return nil
		}
		r.Outcome, r.Candidates = Range, []Commit{known.bad, known.good[len(known.good)-1]}
		r.Why = "built in another layout of their code, the two commits at the border were not told apart again"
		return nil
	}
	r.Outcome = Range
	for _, id := range ids {
		c, err := s.Repo.describe(ctx, id)
		if err != nil {
			return err
		}
		r.Candidates = append(r.Candidates, c)
	}
	slices.SortStableFunc(r.Candidates, func(a, b Commit) int { return b.Time.Compare(a.Time) })
	unsure, broken := 0, 0
	for _, step := range r.Steps {
		if !slices.Contains(ids, step.Commit.ID) {
			continue
		}
		if step.Verdict == Skipped {
			broken++
			continue
		}
		unsure++
		r.Needed = max(r.Needed, step.Needed)
	}
	r.Why = fmt.Sprintf("of the commits that are left %d did not build or run, and of %d the measurement did not decide", broken, unsure)
	return nil
}
