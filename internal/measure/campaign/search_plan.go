package campaign

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// searched are the directions in which the scenario searches.
func searched(s *scenario.Scenario) []record.Direction {
	if s.Search.Preset == scenario.SearchOff {
		return nil
	}
	return s.Directions
}

// methodForwarding looks for what a DUT forwards with at most forwardingLoss, for
// the correction of back-to-back: a packet lost by chance does not matter there.
const methodForwarding scenario.Method = "forwarding rate"

const forwardingLoss = 0.005

// methods are what is searched, in order. The correction of back-to-back needs a
// rate: where no other search comes before it, that is searched too.
func methods(s scenario.Search) []scenario.Method {
	list := slices.Clone(s.Methods)
	at := slices.Index(list, scenario.MethodBackToBack)
	if at >= 0 && !slices.ContainsFunc(list[:at], findsRate) {
		list = slices.Insert(list, at, methodForwarding)
	}
	return list
}

// ofWire are those of the methods that wire is searched by. Wire has no buffer to find,
// and beside UPFs it is not searched for rates: it is asked whether it carries theirs.
func (p *Plan) ofWire(list []scenario.Method) []scenario.Method {
	return slices.DeleteFunc(list, func(m scenario.Method) bool {
		return m == scenario.MethodBackToBack || m == methodForwarding || findsRate(m) && !p.wireAlone()
	})
}

// wireAlone reports whether wire is to be searched as a UPF is.
func (p *Plan) wireAlone() bool {
	return p.SearchWire || !slices.ContainsFunc(p.Targets, func(t dut.Target) bool { return !isReference(t.Name()) })
}

func findsRate(m scenario.Method) bool {
	return m == scenario.MethodMLRsearch || m == scenario.MethodRFC2544 || m == scenario.MethodTST009
}

// mlrsearch is the search for several goals that the settings ask for.
func mlrsearch(s scenario.Search, c search.Conditions) (search.MLRsearch, error) {
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

// throughput is the binary search that the settings ask for, over loads that
// stepped cuts to what the bench reaches.
func throughput(s scenario.Search, m scenario.Method, c search.Conditions) (search.Throughput, error) {
	e, err := search.PresetEffort(s.Preset)
	t := search.Throughput{
		MinPPS: uint64(s.Min.PPS), Duration: orPreset(s.Duration, e.Throughput),
		Limits: search.Limits{Budget: budget(s, e.Budget)}, Conditions: c,
	}
	if m == scenario.MethodTST009 || m == methodForwarding {
		t.Verification = search.LossVerification{Trials: s.Attempts, GiveUp: uint64(s.GiveUp)}
	}
	return stepped(t, s.Max.PPS, s.Step), err
}

// resolution is how many steps there are below the highest load.
const resolution = 10000

// stepped sets the highest load and the distance of loads; 0 chooses it.
func stepped(t search.Throughput, highest float64, step int) search.Throughput {
	t.MaxPPS = max(uint64(highest), t.MinPPS+1)
	t.StepPPS = uint64(step)
	if step == 0 {
		t.StepPPS = max(1, t.MaxPPS/resolution)
	}
	t.StepPPS = min(t.StepPPS, t.MaxPPS-t.MinPPS)
	return t
}

// lossCurve is the frame loss curve that the settings ask for.
func lossCurve(s scenario.Search, c search.Conditions) (search.LossCurve, error) {
	e, err := search.PresetEffort(s.Preset)
	return search.LossCurve{
		MaxPPS: s.Max.PPS, Step: s.CurveStep, All: s.CurveAll, Duration: orPreset(s.Duration, e.Curve),
		Limits: search.Limits{Budget: budget(s, e.Budget)}, Conditions: c,
	}, err
}

// backToBack is the search for the longest burst, at a rate within bursts, of a
// DUT of a throughput, packets/s.
func backToBack(s scenario.Search, c search.Conditions, sent, throughput float64) (search.BackToBack, time.Duration, error) {
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

// longestSearch is how long one of the searches takes at most; 0: that is not known.
func longestSearch(s scenario.Search) (most time.Duration) {
	for _, m := range methods(s) {
		most = max(most, searchBudget(s, m))
	}
	return most
}

// searchBudget is how long a search by a method takes at most; 0: that is not known.
func searchBudget(s scenario.Search, m scenario.Method) time.Duration {
	if m == scenario.MethodMLRsearch {
		x, _ := mlrsearch(s, search.Conditions{}) // checked
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

// checkSearches finds settings of searches that cannot be.
func checkSearches(p *Plan) error {
	s := p.Scenario
	if s.Search.Preset == scenario.SearchOff {
		return nil
	}
	var errs []error
	for _, m := range methods(s.Search) {
		if err := checkMethod(s.Search, m); err != nil {
			errs = append(errs, fmt.Errorf("search.method %s: %w", m, err))
		}
	}
	return errors.Join(errs...)
}

func checkMethod(s scenario.Search, m scenario.Method) error {
	var none search.Conditions
	switch m {
	case scenario.MethodMLRsearch:
		x, err := mlrsearch(s, none)
		return errors.Join(err, x.Check())
	case scenario.MethodLossCurve:
		x, err := lossCurve(s, none)
		return errors.Join(err, x.Check())
	case scenario.MethodBackToBack:
		x, _, err := backToBack(s, none, 1e6, 1e5)
		return errors.Join(err, x.Check())
	}
	x, err := throughput(s, m, none)
	return errors.Join(err, x.Check())
}
