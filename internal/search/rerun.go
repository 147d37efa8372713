package search

import (
	"context"
	"slices"
)

// complete searches, looks at the results again, and searches a second time when one
// of them no longer held then. What was measured before the device changed says nothing
// about it now, and is forgotten. Where no time is left for that, the first results
// are kept, as not valid.
func (m MLRsearch) complete(ctx context.Context, t Trial, r *runner) (Report, error) {
	first, err := m.once(ctx, m.controller(t, r))
	if err != nil || !first.has(Unstable) {
		return first, err
	}
	m.Warmup = 0
	fresh, err := m.once(ctx, m.controller(t, r))
	for i := range fresh.Goals {
		fresh.Goals[i] = secondOf(first.Goals[i], fresh.Goals[i])
	}
	if outOfTime(fresh.Reasons) >= 0 {
		fresh.Reasons = nil // the goals have the reasons
	}
	return fresh, err
}

// once searches one time, and looks at the results again.
func (m MLRsearch) once(ctx context.Context, c *controller) (Report, error) {
	err := c.search(ctx)
	r := m.report(c, err)
	if err == nil && m.Verify > 0 {
		err = c.verifyAll(ctx, &r, m.Verify)
	}
	return r, err
}

// secondOf is the second result of a goal, or the first where time ran out.
func secondOf(first, second GoalResult) GoalResult {
	if i := outOfTime(second.Reasons); i >= 0 {
		if !first.Valid() {
			first.Reasons = append(first.Reasons, second.Reasons[i])
		}
		return first
	}
	if first.LowerBound == nil {
		return second
	}
	second.Reasons = append(second.Reasons, because(Repeated,
		"this is of a second search; the first had found %s, and the device had changed by its end", rate(first.LowerBound.PPS)))
	return second
}

func outOfTime(reasons []Reason) int {
	return slices.IndexFunc(reasons, func(r Reason) bool { return r.Code == OutOfTime })
}

// has reports whether a goal has such a reason.
func (r Report) has(code Code) bool {
	return slices.ContainsFunc(r.Goals, func(g GoalResult) bool {
		return slices.ContainsFunc(g.Reasons, func(r Reason) bool { return r.Code == code })
	})
}
