package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// MLRsearch searches for several goals at once: every trial counts for all of
// them. It is the Controller of RFC 9971 clause 4.9.2.
type MLRsearch struct {
	Goals []Goal // at least one; names differ
	// MinPPS and MaxPPS are Min Load and Max Load in packets/s (RFC 9971 clause
	// 4.6.8): no other loads are offered. The shortest trial at MinPPS has to
	// have a packet at least. Set MaxPPS to what the bench is known to reach.
	MinPPS, MaxPPS float64
	// Warmup is a trial at MaxPPS before all others that counts for nothing;
	// 0: none.
	Warmup time.Duration
	// Verify looks at the device again when all bounds are found: that much
	// below the lower bound and above the upper one, relative, 0..0.5, it has to
	// behave as they say. A device that changed in mid-search, or is too noisy
	// for the goals, is found out that way, and searched a second time. 0: don't.
	// Nearer than the device's own noise it raises false alarms.
	Verify     float64
	Limits     Limits
	Conditions Conditions
	// Claims is the standard that the goals were made for.
	Claims Standard
}

// Run searches. There is a report in any case, which says how far it is valid; an
// error comes from settings out of their range, of kind [ErrSettings], or is an
// *Error: a trial failed, or the context ended.
func (m MLRsearch) Run(ctx context.Context, t Trial) (Report, error) {
	m.Goals = slices.Clone(m.Goals)
	for i := range m.Goals {
		m.Goals[i] = m.Goals[i].withDefaults()
	}
	if err := m.check(); err != nil {
		return Report{Method: record.MethodMLRsearch}, err
	}
	r := newRunner(m.Limits)
	report, err := m.complete(ctx, t, r)
	report.Trials, report.Elapsed = r.records(), r.elapsed()
	return report, failure(err)
}

// ErrSettings is what errors about settings out of their range are.
var ErrSettings = errors.New("search: settings out of range")

func (m MLRsearch) check() error {
	errs := []error{m.Limits.check(), checkRange(m.MinPPS, m.MaxPPS)}
	if len(m.Goals) == 0 {
		errs = append(errs, errors.New("no goals: give one at least, or take a preset"))
	}
	for i, g := range m.Goals {
		errs = append(errs, g.check())
		if slices.ContainsFunc(m.Goals[:i], func(o Goal) bool { return o.Name == g.Name }) {
			errs = append(errs, fmt.Errorf("two goals are called %q: give each a name of its own", g.Name))
		}
		if m.MinPPS*g.InitialTrialDuration.Seconds() < 1 {
			errs = append(errs, fmt.Errorf("goal %q: a trial of %v at the lowest load of %s has no packet: raise one of them",
				g.Name, g.InitialTrialDuration, rate(m.MinPPS)))
		}
	}
	if m.Warmup < 0 {
		errs = append(errs, fmt.Errorf("warm-up of %v: it cannot be negative", m.Warmup))
	}
	if !(m.Verify >= 0 && m.Verify <= widest) {
		errs = append(errs, fmt.Errorf("verification %v off the bounds: use 0 to %v", m.Verify, widest))
	}
	return settings(errs...)
}

// settings joins errors about settings.
func settings(errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	return nil
}

func checkRange(lowest, highest float64) error {
	if lowest > 0 && highest > lowest && highest <= 1e12 { // not NaN either
		return nil
	}
	return fmt.Errorf("loads from %v to %v packets/s: the lowest has to be above 0, the highest above that and up to 1e12", lowest, highest)
}

func (m MLRsearch) controller(t Trial, r *runner) *controller {
	c := &controller{trial: t, warmup: m.Warmup, runner: r, from: len(r.log)}
	widths := make([]float64, len(m.Goals))
	for i, g := range m.Goals {
		widths[i] = g.Width
	}
	c.scale = newScale(m.MinPPS, m.MaxPPS, widths)
	for _, g := range m.Goals {
		c.finals = append(c.finals, targetFor(g, c.scale))
	}
	return c
}
