package search

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

func preset(t testing.TB, name string, v *device) MLRsearch {
	m, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	m.MinPPS, m.MaxPPS, m.Limits.Now = 1000, 6e6, v.now
	return m
}

// The promise of the preset: both rates within 1 % of the truth within 60 s,
// half a second of set-up for each trial included.
func TestQuickIsRightInAMinute(t *testing.T) {
	for _, v := range []device{
		{Capacity: 1500}, {Capacity: 29_876}, {Capacity: 123_456}, {Capacity: 295e3},
		{Capacity: 828e3}, {Capacity: 2.5e6}, {Capacity: 5.9e6},
		{Capacity: 30e3, queue: 500}, {Capacity: 295e3, queue: 1000},
		{Capacity: 400e3, Spikes: 0.05, Spike: 0.02, Seed: 3},
		{Capacity: 800e3, Noise: 0.005, Seed: 5},
	} {
		v.overhead = 500 * time.Millisecond
		r, err := preset(t, Quick, &v).Run(t.Context(), v.trial)
		if err != nil || !r.Valid() {
			t.Fatalf("capacity %v: %v, %+v", v.Capacity, err, r.Goals)
		}
		within(t, r, NDR, v.Capacity)
		within(t, r, PDR, v.Capacity/(1-pdrLoss))
		if r.Elapsed > time.Minute {
			t.Errorf("capacity %v: took %v", v.Capacity, r.Elapsed)
		}
		if name, missing := r.Standard(); name != string(StandardMLRsearch) {
			t.Errorf("capacity %v: standard %q, missing %q", v.Capacity, name, missing)
		}
	}
}

func within(t *testing.T, r Report, name string, truth float64) {
	t.Helper()
	g, _ := r.Goal(name)
	got, ok := g.Rate()
	if !ok || got < 0.99*truth || got > 1.01*truth {
		t.Errorf("%s %v (%v), truth %v", name, got, ok, truth)
	}
	if g.LimitedBy != record.LimitDUT {
		t.Errorf("%s limited by %q", name, g.LimitedBy)
	}
}

// Devices and benches that have no rate to find: the result says so, with its
// kind, and gives no rate.
func TestSearchesThatHaveNoRate(t *testing.T) {
	invalid := func(_ int, o *Outcome, _ float64) { o.Valid, o.Reasons = false, []string{"the hypervisor took 30 %"} }
	for _, c := range []struct {
		name    string
		device  device
		want    record.SearchReason
		atLeast float64 // packets/s that it surely carries; 0: nothing
		err     error
	}{
		{"below the lowest load", device{Capacity: 500}, record.ReasonNoLowerBound, 0, nil},
		{"loses everything", device{Capacity: 0}, record.ReasonNoLowerBound, 0, nil},
		{"above the highest load", device{Capacity: 1e7}, record.ReasonNoUpperBound, 6e6, nil},
		{"above the generator", device{Capacity: 1e7, generator: 1e6}, record.ReasonBenchLimit, 0.98e6, nil},
		{"a generator below the lowest load", device{Capacity: 1e7, generator: 100}, record.ReasonBenchLimit, 0, nil},
		{"zero packets", device{Capacity: 1e5, spoil: func(_ int, o *Outcome, _ float64) { o.Sent, o.Lost = 0, 0 }}, record.ReasonNothingSent, 0, nil},
		{"invalid for ever", device{Capacity: 1e5, spoil: invalid}, record.ReasonInvalidTrials, 0, nil},
		{"counters that cannot be",
			device{Capacity: 1e5, spoil: func(_ int, o *Outcome, _ float64) { o.Lost = o.Sent + 1 }}, record.ReasonInvalidTrials,
			0, nil},
		{"a clock that steps", device{Capacity: 1e5, spoil: func(n int, o *Outcome, _ float64) {
			if n > 5 {
				o.Seconds = -1
			}
		}}, record.ReasonInvalidTrials, 0, nil},
		{"dies at once", device{Capacity: 1e5, dies: 1}, record.ReasonTrialFailed, 0, errDied},
		{"dies in mid-search", device{Capacity: 1e5, dies: 6}, record.ReasonTrialFailed, 0, errDied},
		{"drifts all the time",
			device{Capacity: 1e5, drift: func(n int, c float64) float64 { return c * math.Pow(0.97, float64(n)) }},
			record.ReasonUnstable, 0, nil},
		{"too slow for the budget", device{Capacity: 1e5, overhead: 100 * time.Second}, record.ReasonOutOfTime, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := preset(t, Quick, &c.device)
			m.Limits.Budget = 3 * time.Minute // for two searches
			r, err := m.Run(t.Context(), c.device.trial)
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if r.Valid() {
				t.Error("the report is valid")
			}
			for _, g := range r.Goals {
				noRate(t, g, c.want, c.atLeast)
			}
			if name, missing := r.Standard(); name != "" || len(missing) == 0 {
				t.Errorf("standard %q, missing %q", name, missing)
			}
		})
	}
}

// from makes a device change by a factor from its nth trial on.
func from(nth int, factor float64) func(int, float64) float64 {
	return func(n int, c float64) float64 {
		if n >= nth {
			return c * factor
		}
		return c
	}
}

// A device that changes in mid-search: what is reported as valid is what it does
// now, within the stated margin. Only a change for the worse while the upper bound is looked at for the
// last time goes unseen.
func TestDeviceThatChangesInMidSearch(t *testing.T) {
	unstable := 0
	for _, factor := range []float64{0, 0.3, 0.9, 1.1, 3, 20} {
		for nth := 1; nth <= 20; nth++ {
			v := device{Capacity: 1e5, drift: from(nth, factor)}
			m := preset(t, Quick, &v)
			m.Limits.Budget = 3 * time.Minute // for two searches
			r, err := m.Run(t.Context(), v.trial)
			if err != nil {
				t.Fatal(err)
			}
			unstable += count(r, record.ReasonUnstable) + count(r, record.ReasonRepeated)
			truth := v.capacity(0, 0.5)
			for _, g := range r.Goals {
				slack := 0.01 + max(verifyMargin, 1.1*g.Off)
				if pps, ok := g.Rate(); ok && r.Valid() && nth <= len(r.Trials)-2 && math.Abs(pps-truth) > slack*truth {
					t.Errorf("times %v from trial %d of %d: %s %v, truth %v, stated as off by %v at most", factor,
						nth, len(r.Trials), g.Goal.Name, pps, truth, g.Off)
				}
			}
		}
	}
	if unstable == 0 {
		t.Error("no change was ever found out")
	}
}

// A device that changes once, however late, is searched again and found; how it was
// before is named.
func TestDeviceThatChangesOnceIsSearchedAgain(t *testing.T) {
	again := 0
	for _, factor := range []float64{0.5, 1.5} {
		for nth := 5; nth <= 20; nth++ {
			v := device{Capacity: 1e5, drift: from(nth, factor)}
			m := preset(t, Quick, &v)
			m.Limits.Budget = 3 * time.Minute // for two searches
			r, err := m.Run(t.Context(), v.trial)
			if err != nil || !r.Valid() {
				t.Errorf("times %v from trial %d: %v, %+v", factor, nth, err, r.Goals)
			}
			again += count(r, record.ReasonRepeated)
		}
	}
	if again == 0 {
		t.Error("none was searched a second time")
	}
}

// What the bench cost at the upper bound, and no longer does at the end, leaves the
// device at least the rate found.
func TestBenchThatChangesInMidSearch(t *testing.T) {
	stood := 0
	for nth := 5; nth <= 25; nth++ {
		v := device{Capacity: 1e5, drift: from(nth, 1.5), spoil: func(_ int, o *Outcome, _ float64) {
			if o.Lost > 0 {
				o.LimitedBy = record.LimitLink
			}
		}}
		r, err := preset(t, Quick, &v).Run(t.Context(), v.trial)
		if err != nil || !r.Valid() || count(r, record.ReasonRepeated) > 0 {
			t.Errorf("from trial %d: %v, %+v", nth, err, r.Goals)
		}
		stood += count(r, record.ReasonUnsteady)
	}
	if stood == 0 {
		t.Error("no change was seen")
	}
}

// Where no time is left to search again, the first result is kept, and is not valid.
func TestNoTimeToSearchAgain(t *testing.T) {
	cut := 0
	for nth := 5; nth <= 25; nth++ {
		v := device{Capacity: 1e5, drift: from(nth, 0.5)}
		m := preset(t, Quick, &v)
		m.Limits.Budget = 19 * time.Second
		r, err := m.Run(t.Context(), v.trial)
		if err != nil || r.Elapsed > m.Limits.Budget {
			t.Fatalf("from trial %d: %v after %v", nth, err, r.Elapsed)
		}
		if count(r, record.ReasonUnstable) > 0 && count(r, record.ReasonOutOfTime) > 0 {
			cut++
		}
		if count(r, record.ReasonOutOfTime) > 0 && r.Valid() {
			t.Errorf("from trial %d: no time, and valid: %+v", nth, r.Goals)
		}
	}
	if cut == 0 {
		t.Error("time never ran out in a second search")
	}
}

func count(r Report, c record.SearchReason) int {
	n := 0
	for _, g := range r.Goals {
		for _, reason := range g.Reasons {
			if reason.Code == c {
				n++
			}
		}
	}
	return n
}

func noRate(t *testing.T, g GoalResult, want record.SearchReason, atLeast float64) {
	t.Helper()
	if pps, ok := g.Rate(); ok {
		// Of two goals the first one may have come through before.
		t.Errorf("%s: a rate of %v", g.Goal.Name, pps)
	}
	if len(g.Reasons) == 0 || g.Reasons[0].Code != want || g.Reasons[0].Text == "" {
		t.Errorf("%s: reasons %+v, want %s", g.Goal.Name, g.Reasons, want)
	}
	if known := g.LowerBound != nil; atLeast > 0 && (!known || g.LowerBound.PPS < atLeast) {
		t.Errorf("%s: a lower bound of %+v, want at least %v", g.Goal.Name, g.LowerBound, atLeast)
	}
}

// However short the time, it is kept, and what is given out is right.
func TestBudgets(t *testing.T) {
	partly, wide := 0, 0
	for budget := time.Second; budget < 45*time.Second; budget += 500 * time.Millisecond {
		v := device{Capacity: 295e3, overhead: 500 * time.Millisecond}
		m := preset(t, Quick, &v)
		m.Limits.Budget = budget
		r, err := m.Run(t.Context(), v.trial)
		if err != nil || r.Elapsed > budget+v.overhead { // the first trial's overhead is not known before
			t.Fatalf("budget %v: %v, took %v", budget, err, r.Elapsed)
		}
		for i, g := range r.Goals {
			pps, ok := g.Rate()
			truth := v.Capacity / (1 - g.Goal.LossRatio)
			if count(Report{Goals: []GoalResult{g}}, record.ReasonCoarse) > 0 {
				wide++
				if upper := g.UpperBound.PPS; !ok || g.Regular() || pps > 1.005*truth || upper < 0.995*truth || pps < 0.9*upper {
					t.Errorf("budget %v: %s between %v and %v, truth %v", budget, g.Goal.Name, pps, upper, truth)
				}
				if name, _ := r.Standard(); name != "" {
					t.Errorf("budget %v: standard %q of a result that is not regular", budget, name)
				}
				continue
			}
			switch {
			case ok && (pps < 0.99*truth || pps > 1.01*truth):
				t.Errorf("budget %v: %s %v", budget, g.Goal.Name, pps)
			case ok && !g.Verified && codeOf(g) != record.ReasonUnverified, !ok && codeOf(g) != record.ReasonOutOfTime:
				t.Errorf("budget %v: %s %+v", budget, g.Goal.Name, g)
			case ok && !g.Verified || !ok && i == 1:
				partly++
			}
		}
	}
	if partly == 0 || wide == 0 {
		t.Error("time never ran out in mid-search, or never with bounds that were near")
	}
}

// A search that ran out of time says between which loads it was, by the trials it had.
func TestLastBoundsOfASearchThatEndedEarly(t *testing.T) {
	for budget := 4 * time.Second; budget < 20*time.Second; budget += time.Second {
		v := device{Capacity: 295e3, overhead: 500 * time.Millisecond}
		m := preset(t, Quick, &v)
		m.Limits.Budget = budget
		r, err := m.Run(t.Context(), v.trial)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Goals {
			lower, upper := g.LastLowerPPS, g.LastUpperPPS
			if truth := v.Capacity / (1 - g.Goal.LossRatio); upper < 0.99*truth || lower > 1.01*truth ||
				budget > 10*time.Second && lower < 0.9*truth {
				t.Errorf("budget %v: %s between %.0f and %.0f, truth %.0f", budget, g.Goal.Name, lower, upper, truth)
			}
			if g.LowerBound != nil && lower != g.LowerBound.PPS || g.UpperBound != nil && upper != g.UpperBound.PPS {
				t.Errorf("budget %v: %s between %.0f and %.0f, by the goal %+v and %+v", budget, g.Goal.Name, lower, upper, g.LowerBound, g.UpperBound)
			}
		}
	}
}

// A disturbance that goes away costs a repeat, not the search.
func TestInvalidTrialsAreRepeated(t *testing.T) {
	v := device{Capacity: 123456, spoil: func(n int, o *Outcome, _ float64) {
		if n%3 != 0 {
			o.Valid, o.Lost = false, o.Sent/2
		}
	}}
	r, err := preset(t, Quick, &v).Run(t.Context(), v.trial)
	if err != nil || !r.Valid() {
		t.Fatalf("%v %+v", err, r.Reasons)
	}
	within(t, r, NDR, v.Capacity)
	for i, rec := range r.Trials {
		if want := i%3 + 1; rec.Attempt != want || rec.Used != (want == 3) {
			t.Fatalf("trial %d: attempt %d, used %v", i, rec.Attempt, rec.Used)
		}
	}
}

// A device that collapses under overload (all lost, which is judged invalid) has
// a rate all the same.
func TestCollapseUnderOverload(t *testing.T) {
	v := device{Capacity: 200e3, spoil: func(_ int, o *Outcome, s float64) {
		if float64(o.Sent)/s > 300e3 {
			o.Lost, o.Valid = o.Sent, false
		}
	}}
	r, err := preset(t, Quick, &v).Run(t.Context(), v.trial)
	if err != nil || !r.Valid() {
		t.Fatalf("%v %+v", err, r.Goals)
	}
	within(t, r, NDR, v.Capacity)
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	v := device{Capacity: 123456}
	r, err := preset(t, CSIT, &v).Run(ctx, func(ctx context.Context, pps float64, d time.Duration) (Outcome, error) {
		if v.made == 4 {
			cancel()
			return Outcome{}, ctx.Err()
		}
		return v.trial(ctx, pps, d)
	})
	if !errors.Is(err, context.Canceled) || r.Valid() || len(r.Trials) != 4 {
		t.Fatalf("%v, valid %v, %d trials", err, r.Valid(), len(r.Trials))
	}
	if got := r.Goals[0].Reasons[0].Code; got != record.ReasonInterrupted {
		t.Errorf("reason %s", got)
	}
}

// A device that can do everything but some loads in between: whatever bounds
// are reported, they are what the device does there.
func TestNonMonotonicDevice(t *testing.T) {
	for hole := 100e3; hole < 1.2e6; hole += 37e3 {
		v := device{Capacity: 1e6, HoleFrom: hole, HoleTo: hole * 1.1}
		r, err := preset(t, CSIT, &v).Run(t.Context(), v.trial)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Goals {
			if !g.Regular() {
				t.Fatalf("hole at %v: %+v", hole, g)
			}
			if v.carries(g.LowerBound.PPS, g.Goal.LossRatio) != true || v.carries(g.UpperBound.PPS, g.Goal.LossRatio) {
				t.Errorf("hole at %v: bounds %v and %v", hole, g.LowerBound.PPS, g.UpperBound.PPS)
			}
		}
	}
}

func (v *device) carries(pps, lossRatio float64) bool {
	return pps*(1-lossRatio) <= v.capacity(pps, 0.5)+1
}

func TestWarmupDoesNotCount(t *testing.T) {
	v := device{Capacity: 123456, drift: func(n int, c float64) float64 {
		if n == 1 {
			return c / 2
		}
		return c
	}}
	m := preset(t, Quick, &v)
	m.Warmup = 3 * time.Second
	r, err := m.Run(t.Context(), v.trial)
	if err != nil {
		t.Fatal(err)
	}
	within(t, r, NDR, v.Capacity)
	if first := r.Trials[0]; first.Phase != PhaseWarmup || first.Duration != m.Warmup || first.PPS != m.MaxPPS {
		t.Errorf("first trial %+v", first)
	}
}

func TestSettingsOutOfRange(t *testing.T) {
	goal := quick().Goals[0]
	change := func(f func(*Goal)) []Goal { g := goal; f(&g); return []Goal{g} }
	for name, m := range map[string]MLRsearch{
		"no goals":         {MinPPS: 1e3, MaxPPS: 1e6},
		"no loads":         {Goals: []Goal{goal}},
		"loads swapped":    {Goals: []Goal{goal}, MinPPS: 1e6, MaxPPS: 1e3},
		"same name":        {Goals: []Goal{goal, goal}, MinPPS: 1e3, MaxPPS: 1e6},
		"no packet":        {Goals: []Goal{goal}, MinPPS: 0.5, MaxPPS: 1e6},
		"loss ratio 1":     {Goals: change(func(g *Goal) { g.LossRatio = 1 }), MinPPS: 1e3, MaxPPS: 1e6},
		"exceed ratio 1":   {Goals: change(func(g *Goal) { g.ExceedRatio = 1 }), MinPPS: 1e3, MaxPPS: 1e6},
		"width 0":          {Goals: change(func(g *Goal) { g.Width = 0 }), MinPPS: 1e3, MaxPPS: 1e6},
		"short sum":        {Goals: change(func(g *Goal) { g.DurationSum = time.Second }), MinPPS: 1e3, MaxPPS: 1e6},
		"final < initial":  {Goals: change(func(g *Goal) { g.InitialTrialDuration = time.Hour }), MinPPS: 1e3, MaxPPS: 1e6},
		"negative budget":  {Goals: []Goal{goal}, MinPPS: 1e3, MaxPPS: 1e6, Limits: Limits{Budget: -1}},
		"negative warm-up": {Goals: []Goal{goal}, MinPPS: 1e3, MaxPPS: 1e6, Warmup: -1},
		"verify too far":   {Goals: []Goal{goal}, MinPPS: 1e3, MaxPPS: 1e6, Verify: 0.6},
	} {
		r, err := m.Run(t.Context(), func(context.Context, float64, time.Duration) (Outcome, error) {
			t.Fatal("a trial was made")
			return Outcome{}, nil
		})
		if !errors.Is(err, ErrSettings) || r.Valid() {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Preset("slow"); err == nil {
		t.Error("an unknown preset was given")
	}
}

// Where the machine never lets the bench send evenly, what is lost counts: the
// search goes on, and says who limited it.
func TestDisturbedForEver(t *testing.T) {
	v := device{Capacity: 200e3, spoil: func(_ int, o *Outcome, s float64) {
		if float64(o.Sent)/s > 100e3 {
			o.Lost, o.Valid, o.Disturbed, o.LimitedBy = o.Sent/10000, false, true, record.LimitHost
			o.Reasons = []string{"the generator stood still"}
		}
	}}
	m := preset(t, Quick, &v)
	m.Limits.Budget = 5 * time.Minute // twice the trials take twice the time
	r, err := m.Run(t.Context(), v.trial)
	if err != nil {
		t.Fatalf("%v %+v", err, r.Reasons)
	}
	g, _ := r.Goal(NDR)
	if pps, ok := g.Rate(); !ok || pps < 99e3 || pps > 101e3 || g.LimitedBy != record.LimitHost {
		t.Errorf("%.0f packets/s, limited by %q; want 100 000, by the host: %+v", pps, g.LimitedBy, g.Reasons)
	}
}

// A generator that was held up at a load below one that it has sent is asked again: it
// does not become the limit of the bench.
func TestGeneratorThatWasHeldUp(t *testing.T) {
	v := device{Capacity: 400e3}
	v.spoil = func(n int, o *Outcome, _ float64) {
		if n%7 == 0 {
			o.Sent, o.Lost = o.Sent/2, 0
			o.Valid, o.LimitedBy, o.Reasons = false, record.LimitGenerator, []string{"generator sent less than intended"}
		}
	}
	r, err := preset(t, Quick, &v).Run(t.Context(), v.trial)
	if err != nil || !r.Valid() {
		t.Fatalf("%v %+v", err, r.Goals)
	}
	within(t, r, NDR, v.Capacity)
	within(t, r, PDR, v.Capacity/(1-pdrLoss))
}

// A trial in which the bench lost something is not repeated once no goal depends on
// that, and a generator that is far too slow is asked once.
func TestNoTrialIsWasted(t *testing.T) {
	v := device{Capacity: 3e6, generator: 4e6, overhead: 200 * time.Millisecond}
	v.spoil = func(_ int, o *Outcome, _ float64) {
		if load := float64(o.Sent) / o.Seconds; load > 700e3 && o.Lost < o.Sent/1000 {
			o.Lost, o.Valid, o.Disturbed, o.LimitedBy = o.Sent/1000, false, true, record.LimitHost
			o.Reasons = []string{"the generator stood still"}
		}
	}
	r, err := preset(t, Quick, &v).Run(t.Context(), v.trial)
	if err != nil {
		t.Fatal(err)
	}
	if pdr, ok := r.Goal(PDR); !ok || !pdr.Valid() {
		t.Fatalf("no partial drop rate: %+v", pdr)
	}
	ndr, _ := r.Goal(NDR)
	bound := 0
	for n, x := range r.Trials {
		if x.Phase == PhaseSearch && (x.PPS == ndr.LowerBound.PPS || x.PPS == ndr.UpperBound.PPS) {
			bound = n
		}
	}
	for n, x := range r.Trials {
		far, known := x.PPS > 1.1*4e6, n > bound && x.Phase == PhaseSearch && x.Outcome.Disturbed
		if x.Attempt > 1 && (far || known) {
			t.Errorf("trial %d at %s was repeated", n, rate(x.PPS))
		}
	}
}
