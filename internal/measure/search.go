package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/result"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/search"
)

// searches finds the rates of a DUT in each direction, and takes the latency at
// shares of the non-drop rate.
func (r *run) searches(ctx context.Context, b *bench, repeat int, out *result.DUT) error {
	if b.scenario.Search.Preset == scenario.SearchOff {
		return nil
	}
	for _, d := range b.scenario.Directions {
		found, err := r.search(ctx, b, d, repeat, reached(out.Trials, d))
		if err != nil {
			return err
		}
		out.Searches = append(out.Searches, found)
		r.observer.Searched(b.label, found)
		if err := errors.Join(r.save(), r.latencyCurve(ctx, b, found, out)); err != nil {
			return err
		}
	}
	return nil
}

// reached is what the generator sent unpaced in a direction, packets/s: no search
// need go beyond it. 0: not measured.
func reached(trials []result.Trial, d scenario.Direction) (pps float64) {
	for _, t := range trials {
		if t.OfferedPPS == 0 && t.Direction == string(d) {
			pps = max(pps, t.TxPPS)
		}
	}
	return pps
}

// search runs one MLRsearch.
func (r *run) search(ctx context.Context, b *bench, d scenario.Direction, repeat int, ceiling float64) (result.Search, error) {
	s := b.scenario.Search
	m, err := search.Preset(s.Preset)
	if err != nil {
		return result.Search{}, err
	}
	m.MinPPS, m.MaxPPS = s.Min.PPS, s.Max.PPS
	if ceiling > m.MinPPS {
		m.MaxPPS = min(m.MaxPPS, ceiling)
	}
	m.Conditions = search.Conditions{FrameSizes: []int{b.flows[flowOf(d)].FrameBytes(0) + 4}, Residual: b.scenario.Settle.Duration}
	r.observer.Stage(b.label, fmt.Sprintf("searching the non-drop rate, %s", d))
	report, err := m.Run(ctx, r.searchTrial(b, d, repeat))
	if err != nil && (ctx.Err() != nil || errors.Is(err, search.ErrSettings)) {
		return result.Search{}, errors.Join(ctx.Err(), err)
	}
	return b.searched(report, d, repeat), b.alive()
}

// searchTrial is a trial as a search sees it: load and duration in, loss out.
func (r *run) searchTrial(b *bench, d scenario.Direction, repeat int) search.Trial {
	return func(ctx context.Context, pps float64, duration time.Duration) (search.Outcome, error) {
		spec := trialSpec{result.KindLoad, d, scenario.Load{PPS: pps}, duration, repeat}
		t, err := r.measureTrial(ctx, b, spec)
		if err != nil {
			return search.Outcome{}, err
		}
		o := search.Outcome{Sent: t.TxPackets, Seconds: t.DurationS, Valid: t.Valid, Reasons: t.Reasons, LimitedBy: t.LimitedBy}
		if t.TxPackets > t.RxPackets {
			o.Lost = t.TxPackets - t.RxPackets
		}
		return o, b.alive()
	}
}

// searched turns a search's report into the result's form.
func (b *bench) searched(report search.Report, d scenario.Direction, repeat int) result.Search {
	f := b.flows[flowOf(d)]
	s := result.Search{
		Method: string(report.Method), Preset: b.scenario.Search.Preset, Direction: string(d), Repeat: repeat,
		Sessions: b.scenario.Sessions, PayloadBytes: f.PayloadBytes(0), InnerBytes: f.InnerBytes(0), FrameBytes: f.FrameBytes(0),
		MinPPS: report.MinPPS, MaxPPS: report.MaxPPS, DurationS: report.Elapsed.Seconds(), Valid: report.Valid(),
		Reasons: texts(report.Reasons),
	}
	s.Standard, s.Missing = report.Standard()
	for _, g := range report.Goals {
		s.Goals = append(s.Goals, searchGoal(g))
	}
	s.NDRPPS, s.PDRPPS = rateOf(report, search.NDR), rateOf(report, search.PDR)
	if len(s.Goals) > 0 {
		s.LimitedBy = s.Goals[0].LimitedBy
	}
	for _, t := range report.Trials {
		s.Trials = append(s.Trials, result.SearchTrial{
			Phase: string(t.Phase), PPS: t.PPS, DurationS: t.Duration.Seconds(), Sent: t.Outcome.Sent, Lost: t.Outcome.Lost,
			Used: t.Used, LimitedBy: t.Outcome.LimitedBy, Reasons: t.Outcome.Reasons,
		})
	}
	return s
}

// rateOf is the rate of a goal, packets/s; 0 when the search has none that stands.
func rateOf(report search.Report, goal string) float64 {
	g, _ := report.Goal(goal)
	pps, _ := g.Rate()
	return pps
}

func searchGoal(g search.GoalResult) result.SearchGoal {
	out := result.SearchGoal{
		Name: g.Goal.Name, LossRatio: g.Goal.LossRatio, Width: g.Goal.Width, ConditionalPPS: g.ConditionalThroughput,
		LimitedBy: g.LimitedBy, Valid: g.Valid(), Reasons: texts(g.Reasons),
	}
	if g.LowerBound != nil {
		out.LowerPPS = g.LowerBound.PPS
	}
	if g.UpperBound != nil {
		out.UpperPPS = g.UpperBound.PPS
	}
	return out
}

func texts(reasons []search.Reason) []string {
	list := []string{}
	for _, r := range reasons {
		list = append(list, r.Text)
	}
	return list
}

// shares of the non-drop rate at which latency is taken.
func shares() []float64 { return []float64{0.1, 0.5, 0.9, 1} }

// latencyCurve takes the latency at shares of the non-drop rate.
func (r *run) latencyCurve(ctx context.Context, b *bench, s result.Search, out *result.DUT) error {
	if s.NDRPPS == 0 {
		return nil
	}
	for _, share := range shares() {
		spec := trialSpec{result.KindLatency, scenario.Direction(s.Direction), scenario.Load{PPS: share * s.NDRPPS},
			b.scenario.Latency.Duration.Duration, s.Repeat}
		t, err := r.measureTrial(ctx, b, spec)
		if err != nil {
			return err
		}
		t.Load = fmt.Sprintf("%.0f %% of NDR", 100*share)
		out.Trials = append(out.Trials, t)
	}
	return b.alive()
}
