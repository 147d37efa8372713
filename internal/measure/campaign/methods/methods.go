// Package methods makes searches of the settings that a scenario has for them.
package methods

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Directions are the directions in which the scenario searches.
func Directions(s *scenario.Scenario) []record.Direction {
	if s.Search.Preset == scenario.SearchOff {
		return nil
	}
	return s.Directions
}

// Forwarding looks for what a DUT forwards with at most ForwardingLoss, for
// the correction of back-to-back: a packet lost by chance does not matter there.
const Forwarding scenario.Method = "forwarding rate"

// ForwardingLoss is the share of packets that may be lost at that rate.
const ForwardingLoss = 0.005

// Of gives the methods by which is searched, in order. The correction of back-to-back needs a
// rate: where no other search comes before it, that is searched too.
func Of(s scenario.Search) []scenario.Method {
	list := slices.Clone(s.Methods)
	at := slices.Index(list, scenario.MethodBackToBack)
	if at >= 0 && !slices.ContainsFunc(list[:at], FindsRate) {
		list = slices.Insert(list, at, Forwarding)
	}
	return list
}

// FindsRate reports whether a method finds a rate.
func FindsRate(m scenario.Method) bool {
	return m == scenario.MethodMLRsearch || m == scenario.MethodRFC2544 || m == scenario.MethodTST009
}

// MLRsearch is the search for several goals that the settings ask for.
func MLRsearch(s scenario.Search, c search.Conditions) (search.MLRsearch, error) {
	m, err := search.Preset(s.Preset)
	if err != nil {
		return m, err
	}
	m.MinPPS, m.MaxPPS, m.Conditions = s.Min.PPS, s.Max.PPS, c
	base := m.Goals[0]
	for _, g := range s.Goals {
		m.Goals = withGoal(m.Goals, ownGoal(g, base))
	}
	m.Limits.Budget = budget(s, m.Limits.Budget)
	return m, nil
}

// withGoal adds a goal, or puts it in the place of the one of that name.
func withGoal(goals []search.Goal, g search.Goal) []search.Goal {
	at := slices.IndexFunc(goals, func(o search.Goal) bool { return o.Name == g.Name })
	if at < 0 {
		return append(goals, g)
	}
	goals[at] = g
	return goals
}

// ownGoal reads a goal of the scenario; what that leaves out, it takes from the preset.
func ownGoal(g scenario.Goal, base search.Goal) search.Goal {
	base.Name, base.LossRatio = g.Name, g.LossRatio
	if g.Width > 0 {
		base.Width = g.Width
	}
	if g.ExceedRatio >= 0 {
		base.ExceedRatio = g.ExceedRatio
	}
	if d := g.FinalDuration.Duration; d > 0 {
		base.FinalTrialDuration = d
		base.InitialTrialDuration = min(base.InitialTrialDuration, d)
		base.DurationSum = max(base.DurationSum, d)
	}
	if d := g.InitialDuration.Duration; d > 0 {
		base.InitialTrialDuration = d
	}
	if d := g.DurationSum.Duration; d > 0 {
		base.DurationSum = d
	}
	return base
}

// Throughput is the binary search that the settings ask for, over loads that
// stepped cuts to what the bench reaches.
func Throughput(s scenario.Search, m scenario.Method, c search.Conditions) (search.Throughput, error) {
	e, err := search.PresetEffort(s.Preset)
	t := search.Throughput{
		MinPPS: uint64(s.Min.PPS), Duration: orPreset(s.Duration, e.Throughput),
		Limits: search.Limits{Budget: budget(s, e.Budget)}, Conditions: c,
	}
	if m == scenario.MethodTST009 || m == Forwarding {
		t.Verification = search.LossVerification{Trials: s.Attempts, GiveUp: uint64(s.GiveUp)}
	}
	return Stepped(t, s.Max.PPS, s.Step), err
}

// resolution is how many steps there are below the highest load.
const resolution = 10000

// Stepped sets the highest load and the distance of loads; 0 chooses it.
func Stepped(t search.Throughput, highest float64, step int) search.Throughput {
	t.MaxPPS = max(uint64(highest), t.MinPPS+1)
	t.StepPPS = uint64(step)
	if step == 0 {
		t.StepPPS = max(1, t.MaxPPS/resolution)
	}
	t.StepPPS = min(t.StepPPS, t.MaxPPS-t.MinPPS)
	return t
}

// LossCurve is the frame loss curve that the settings ask for.
func LossCurve(s scenario.Search, c search.Conditions) (search.LossCurve, error) {
	e, err := search.PresetEffort(s.Preset)
	return search.LossCurve{
		MaxPPS: s.Max.PPS, Step: s.CurveStep, All: s.CurveAll, Duration: orPreset(s.Duration, e.Curve),
		Limits: search.Limits{Budget: budget(s, e.Budget)}, Conditions: c,
	}, err
}

// BackToBack is the search for the longest burst, at a rate within bursts, of a
// DUT of a throughput, packets/s.
func BackToBack(s scenario.Search, c search.Conditions, sent, throughput float64) (search.BackToBack, time.Duration, error) {
	e, err := search.PresetEffort(s.Preset)
	b := search.BackToBack{
		MinPackets: 1, MaxPackets: max(2, uint64(e.Longest.Seconds()*sent)), StepPackets: 1, Searches: e.Bursts,
		Verification: search.LossVerification{Trials: e.Attempts}, TheoreticalPPS: sent, ThroughputPPS: throughput,
		LeastRate: min(1, leastFaster*throughput/sent),
		Limits:    search.Limits{Budget: budget(s, e.Budget)}, Conditions: c,
	}
	if s.BurstMax > 0 {
		b.MaxPackets = uint64(s.BurstMax)
	}
	if s.BurstRepeats > 0 {
		b.Searches = s.BurstRepeats
	}
	wait := max(e.Wait, s.Pause.Duration)
	b.Conditions.Residual, b.Conditions.Restabilise = max(c.Residual, e.Wait), max(c.Restabilise, wait)
	return b, wait, err
}

// leastFaster is how much faster than the DUT forwards bursts have to be.
const leastFaster = 1.05

func budget(s scenario.Search, preset time.Duration) time.Duration { return orPreset(s.Budget, preset) }

// Longest is how long one of the searches takes at most; 0: that is not known.
func Longest(s scenario.Search) (most time.Duration) {
	for _, m := range Of(s) {
		most = max(most, MostTime(s, m))
	}
	return most
}

// MostTime is how long a search by a method takes at most; 0: that is not known.
func MostTime(s scenario.Search, m scenario.Method) time.Duration {
	if m == scenario.MethodMLRsearch {
		x, _ := MLRsearch(s, search.Conditions{}) // checked
		return x.Limits.Budget
	}
	e, _ := search.PresetEffort(s.Preset) // checked
	return budget(s, e.Budget)
}

func orPreset(d scenario.Duration, preset time.Duration) time.Duration {
	if d.Duration > 0 {
		return d.Duration
	}
	return preset
}

// Check finds settings of searches that cannot be.
func Check(s scenario.Search) error {
	if s.Preset == scenario.SearchOff {
		return nil
	}
	var errs []error
	for _, m := range Of(s) {
		if err := checkMethod(s, m); err != nil {
			errs = append(errs, fmt.Errorf("search.method %s: %w", m, err))
		}
	}
	return errors.Join(errs...)
}

func checkMethod(s scenario.Search, m scenario.Method) error {
	var none search.Conditions
	switch m {
	case scenario.MethodMLRsearch:
		x, err := MLRsearch(s, none)
		return errors.Join(err, x.Check())
	case scenario.MethodLossCurve:
		x, err := LossCurve(s, none)
		return errors.Join(err, x.Check())
	case scenario.MethodBackToBack:
		x, _, err := BackToBack(s, none, 1e6, 1e5)
		return errors.Join(err, x.Check())
	}
	x, err := Throughput(s, m, none)
	return errors.Join(err, x.Check())
}
