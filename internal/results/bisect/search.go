package bisect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Measurer measures builds.
type Measurer interface {
	// Measure measures both builds in turn, so many times each, and compares them. With
	// of, only that figure is asked for. A build whose UPF does not run gives a
	// BuildError.
	Measure(ctx context.Context, good, other Program, repeats int, of *Reading) ([]Reading, error)
}

// Search finds the first slower commit.
type Search struct {
	Repo    *Repository
	Builder Builder
	Measure Measurer
	// Repeats is how often both are measured at first, MaxRepeats at most, where the
	// first ones do not decide; both at least 3.
	Repeats, MaxRepeats int
	// Limit is the slow-down from which a commit is slower, on the scale of
	// Reading.Worse; 0: half of that of the bad commit.
	Limit float64
	// Layouts is in how many layouts of their code builds are measured at most, where one does not decide.
	Layouts int
	// Progress is told what comes next.
	Progress func(text string)
	// Save is called after each step.
	Save func(*Result) error

	good  Program
	goods map[int]Program // by layout
	fixed string          // why the layout cannot be varied
}

// The work trees. That of the good commit stays as it is, for it is measured with each
// other one.
const (
	goodTree  = "good"
	otherTree = "other"
)

// Run searches between two commits and writes down into r what it finds. It fails when the
// good or the bad one cannot be built or measured, and with the context's error when that
// ends.
func (s *Search) Run(ctx context.Context, r *Result) error {
	err := s.run(ctx, r)
	r.Finished, r.FixedLayout = time.Now(), s.fixed
	if err != nil {
		r.Outcome, r.Why = Unfinished, err.Error()
	}
	return errors.Join(err, s.Save(r))
}

func (s *Search) run(ctx context.Context, r *Result) error {
	r.Outcome, r.Steps, s.goods = Unfinished, []Step{}, map[int]Program{}
	if !s.Repo.isAncestor(ctx, r.Good, r.Bad) || r.Good.ID == r.Bad.ID {
		return fmt.Errorf("the good commit %s is no ancestor of the bad one %s: take their merge base as the good "+
			"one (`git merge-base`), or swap them",
			r.Good.Short(), r.Bad.Short())
	}
	ids, err := s.Repo.suspects(ctx, r.Bad, []Commit{r.Good})
	if err != nil {
		return err
	}
	r.Commits = len(ids)
	if err := s.check(ctx, r); err != nil || r.Outcome == NoDifference {
		return err
	}
	return s.halve(ctx, r)
}

// check builds both ends and makes sure that they differ.
func (s *Search) check(ctx context.Context, r *Result) (err error) {
	if s.good, err = s.build(ctx, goodTree, r.Good, "the good commit"); err != nil {
		return err
	}
	bad, err := s.build(ctx, otherTree, r.Bad, "the bad commit")
	if err != nil {
		return err
	}
	for repeats := s.Repeats; ; {
		s.Progress(fmt.Sprintf("measuring good and bad, %d times each", repeats))
		told := func(list []Reading) bool {
			best := clearest(list)
			return best != nil && (s.Limit == 0 || Decide(*best, s.Limit) == Slower) || !slices.ContainsFunc(list, seems)
		}
		if r.Checked, err = s.inLayouts(ctx, bad, repeats, 1, nil, told); err != nil {
			return fmt.Errorf("measure the good and the bad commit: %w", err)
		}
		if r.Check = clearest(r.Checked); r.Check != nil && (s.Limit == 0 || Decide(*r.Check, s.Limit) == Slower) {
			confirmed, err := s.confirm(ctx, bad, repeats, r.Check)
			if err != nil {
				return fmt.Errorf("measure the good and the bad commit again: %w", err)
			}
			if r.Check = confirmed; confirmed != nil {
				break
			}
			r.Unconfirmed = true
		}
		r.Needed = leastNeeded(r.Checked, s.Limit)
		if repeats = s.again(repeats, r.Needed); repeats == 0 {
			r.Outcome, r.Why = NoDifference, noDifference(r, s.Limit)
			return nil
		}
	}
	r.Needed, r.Limit = 0, s.Limit
	if r.Limit == 0 {
		r.Limit = r.Check.Worse / 2
	}
	return s.Save(r)
}

// confirm measures good and bad once more in the figure that showed a difference, and gives
// what that measurement says; nil: it does not show the difference. The figure was chosen as
// the clearest of many, maybe after several measurements with more and more repeats, so it is
// larger than it is, and one time in twenty or more it is chance: a measurement of its own is
// neither.
func (s *Search) confirm(ctx context.Context, bad Program, repeats int, of *Reading) (*Reading, error) {
	s.Progress(fmt.Sprintf("confirming %s, %d times each", of.Name(), repeats))
	confirmed := func(list []Reading) bool {
		at := slices.IndexFunc(list, func(r Reading) bool { return r.Same(*of) })
		return at >= 0 && list[at].widened(sure).Lo > 0 && Decide(list[at], s.Limit) == Slower
	}
	const another = 2 // at least one layout that the first measurement may not have had
	readings, err := s.inLayouts(ctx, bad, repeats, another, of, confirmed)
	if err != nil || !confirmed(readings) {
		return nil, err
	}
	at := slices.IndexFunc(readings, func(r Reading) bool { return r.Same(*of) })
	return &readings[at], nil
}

// seems reports whether a figure is worse but for what the layout may make of it.
func seems(r Reading) bool { return r.Shown && r.Known && r.Lo > 0 }

// noDifference says why good and bad cannot be told apart.
func noDifference(r *Result, limit float64) string {
	switch {
	case r.Unconfirmed && r.Check == nil:
		return "a measurement showed the bad commit to be slower, and the one that was made to confirm it did not"
	case r.Check != nil:
		return fmt.Sprintf("the bad commit is slower (%s), but maybe by less than the threshold: its interval reaches below that", r.Check.Name())
	case slices.ContainsFunc(r.Checked, func(x Reading) bool { return x.Known && x.Hi < 0 }):
		return "the bad commit is faster than the good one: are they swapped?"
	case len(r.Checked) > 0 && !slices.ContainsFunc(r.Checked, func(x Reading) bool { return x.Why == "" }):
		return fmt.Sprintf("no figure tells the bad commit from the good one: %s: %s", r.Checked[0].Name(), r.Checked[0].Why)
	case len(r.Checked) == 0:
		return "no figure of both could be compared"
	}
	return "the bad commit is not shown to be slower than the good one in any figure"
}

// tooMany times the repeats allowed are not tried: what few repeats say of the scatter is
// wrong by a factor of two, and what they say is needed by its square.
const tooMany = 4

// again is how many repeats the next attempt has; 0: there is none.
func (s *Search) again(had, needed int) int {
	if had >= s.MaxRepeats || needed > tooMany*s.MaxRepeats {
		return 0
	}
	if needed == 0 {
		needed = 2 * had
	}
	return min(needed+needed/2, s.MaxRepeats) // half as much again: the scatter is not known well
}

func (s *Search) build(ctx context.Context, tree string, c Commit, what string) (Program, error) {
	s.Progress(fmt.Sprintf("building %s %s", what, c.Short()))
	p, err := s.Builder.Build(ctx, tree, c, 0)
	if err != nil {
		return p, fmt.Errorf("%s %s: %w", what, c.Short(), err)
	}
	return p, nil
}
