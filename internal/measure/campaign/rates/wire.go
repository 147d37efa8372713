package rates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/analysis/verdict"
	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

// wireTries is how many trials wire is given to carry a load: one that fails may have met
// a passing disturbance.
const wireTries = 3

// foundRate is a rate that a search found for a UPF.
type foundRate struct {
	search *record.Search
	goal   *record.SearchGoal
}

// load is what wire has to carry for the bench not to be the limit of the rate, packets/s.
func (f foundRate) load() float64 { return f.goal.LowerPPS / verdict.WireClose }

// FoundRates are those of a repeat, the highest first: a load that wire carries without
// any loss answers for all lower ones too.
func FoundRates(r *kit.Book, repeat int) (list []foundRate) {
	for i := range r.Result.DUTs {
		d := &r.Result.DUTs[i]
		for j := range d.Searches {
			s := &d.Searches[j]
			for k := range s.Goals {
				if g := &s.Goals[k]; !d.Reference && s.Repeat == repeat && g.Valid {
					list = append(list, foundRate{s, g})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b foundRate) int {
		switch {
		case a.load() > b.load():
			return -1
		case a.load() < b.load():
			return 1
		}
		return 0
	})
	return list
}

// AskWire asks wire, which is up, whether it carries what searches found for UPFs, and a
// little more. It is not searched itself: whether its own rate is twice or five times as
// high says nothing of a UPF, and takes longer to find than the UPF's.
func AskWire(ctx context.Context, r *kit.Meter, dp *trial.Deployment, rates []foundRate) error {
	var before []foundRate
	for _, f := range rates {
		carried, known := answered(before, f)
		if !known {
			var err error
			if carried, err = wireCarries(ctx, r, dp, f); err != nil {
				return err
			}
		}
		f.apply(carried)
		before = append(before, f)
		if err := errors.Join(r.Save(), dp.Alive()); err != nil {
			return err
		}
	}
	return nil
}

// answered is what wire did at a load that was at least as high, if it lost no more there
// than this goal allows.
func answered(before []foundRate, f foundRate) (record.WireCarries, bool) {
	for _, b := range before {
		if w := b.goal.Wire; w.Carried && w.LossRatio <= f.goal.LossRatio && b.search.Stream() == f.search.Stream() {
			return *w, true
		}
	}
	return record.WireCarries{}, false
}

// wireCarries makes the trials.
func wireCarries(ctx context.Context, r *kit.Meter, dp *trial.Deployment, f foundRate) (w record.WireCarries, err error) {
	r.Observer.Stage(dp.Label, fmt.Sprintf("asking whether it carries %.4g kpps %s", f.load()/1e3, f.search.Direction))
	spec := trial.Spec{Kind: record.KindLoad, Direction: f.search.Direction, Size: r.Plan.SizeNamed(f.search.Size),
		Load: record.Load{PPS: f.load()}, Duration: finalDuration(dp.Scenario, f.goal), Repeat: f.search.Repeat, Unwatched: true}
	for w.Trials < wireTries && !w.Carried {
		if err := wait.Pause(ctx, dp.Scenario.Search.Pause.Duration); err != nil {
			return w, err
		}
		t, err := r.Measure(ctx, dp, spec)
		if err != nil {
			return w, err
		}
		n := w.Trials + 1
		w = wireCarried(t, f.goal.LossRatio)
		w.Trials = n
	}
	return w, nil
}

// wireCarried is what a trial of wire says, where so much may be lost, 0..1.
func wireCarried(t record.Trial, lossRatio float64) record.WireCarries {
	w := record.WireCarries{PPS: t.Load.PPS, LossRatio: t.FrameLossRatio, LimitedBy: t.LimitedBy, Raw: t.Raw}
	w.Carried = t.TxPackets > 0 && t.LimitedBy != record.LimitGenerator && t.FrameLossRatio <= lossRatio
	if !w.Carried && t.LimitedBy == record.LimitNone { // it lost a few packets, which the goal does not allow
		w.LimitedBy = record.LimitLink
	}
	return w
}

// finalDuration is that of the goal's trials.
func finalDuration(s *scenario.Scenario, g *record.SearchGoal) time.Duration {
	if g.FinalDurationS > 0 {
		return time.Duration(g.FinalDurationS * float64(time.Second))
	}
	return s.Duration.Duration
}

// apply writes down what wire did, and what follows for the rate. Where wire fails too, the
// bench may be what limited the UPF. Where it carries more, packets that were lost on the
// way to the UPF were lost because the UPF takes longer: by the same rule by which trials
// at one load are judged.
func (f foundRate) apply(w record.WireCarries) {
	g := f.goal
	g.Wire = &w
	switch {
	case w.Carried && g.LimitedBy == record.LimitLink:
		g.LimitedBy = record.LimitDUT
	case w.Carried:
		return
	default:
		g.LimitedBy = w.LimitedBy
		g.Reasons = append(g.Reasons,
			fmt.Sprintf("wire did not carry %.4g kpps either (%.2g %% lost, limited by %s): the UPF does at least "+
				"this rate, and the bench may be what limits it",
				w.PPS/1e3, 100*w.LossRatio, w.LimitedBy))
		g.ReasonCodes = append(g.ReasonCodes, string(record.ReasonWireLimit))
	}
	if f.search.Goals[0].Name == g.Name {
		f.search.LimitedBy = g.LimitedBy
	}
}
