package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/n4load"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// What a rate of procedures is.
const (
	maxLoss    = 0.005 // of RateMax: refused or unanswered
	lateShare  = 0.01  // of RateP99: those, and later than the limit
	rateWidth  = 0.05
	rateBudget = 15 * time.Second
	// backBudget is that of a procedure that uses sessions up: bringing them back between the
	// pieces of a trial takes a UPF that establishes slowly seconds.
	backBudget = 60 * time.Second
	// growing is the part of a trial after which an answer shows that a queue grows: it counts as
	// none for RateMax.
	growing = 10
	// headroom is how far above the rate of a closed loop a search begins.
	headroom = 1.5
	// leastHighest is the least that a search goes up to, procedures/s.
	leastHighest = 20
	// nearBench is the share of the bench's own rate from which on a rate is the bench's.
	nearBench = 0.85
)

// rate searches the highest rates of a procedure.
func (c *study) rate(ctx context.Context, procedure string) error {
	h := &procedureHunt{study: c, load: c.load, procedure: procedure}
	highest, err := h.find(ctx, record.RateMax, 0)
	if err == nil && highest > 0 {
		_, err = h.find(ctx, record.RateP99, highest)
	}
	var refused *n4load.Refusal
	if errors.As(err, &refused) { // this procedure is none of its
		c.keepRate(record.ProcedureRate{Procedure: procedure, Goal: record.RateMax, Reasons: []string{err.Error()}})
		return nil
	}
	return err
}

// responder is a load of N4 against a responder of the bench, in the UPF's place. Close it.
func (c *study) responder(ctx context.Context) (*n4load.Load, io.Closer, error) {
	client, closer, err := c.dp.SMF.Reference()
	if err != nil {
		return nil, nil, err
	}
	_, err = client.Associate(ctx)
	if err == nil {
		var l *n4load.Load
		if l, err = n4load.New(n4load.Config{Client: client, Sessions: c.dp.SMF.More(c.s.Sessions, c.cp.Sessions)}); err == nil {
			return l, closer, nil
		}
	}
	return nil, nil, errors.Join(err, closer.Close())
}

// benchRate is what the SMF itself does, against a responder.
func (c *study) benchRate(ctx context.Context) error {
	l, closer, err := c.responder(ctx)
	if err != nil {
		return err
	}
	defer closer.Close()
	c.Observer.Stage(c.dp.Label, "finding the rate that the SMF itself reaches")
	h := &procedureHunt{study: c, load: l, procedure: string(n4load.Modify)}
	report, err := h.search(ctx, record.RateMax, 0)
	if err != nil {
		return err
	}
	c.cp.BenchPerS = lowerBound(report)
	return nil
}

func (c *study) keepRate(r record.ProcedureRate) {
	c.cp.Rates = append(c.cp.Rates, r)
	line := fmt.Sprintf("%s: no rate found", r.Procedure)
	if r.PerS > 0 {
		line = fmt.Sprintf("%s: %.0f/s (%s), answers p50 %s, p99 %s", r.Procedure, r.PerS, r.Goal,
			units.Time(float64(r.P50NS)), units.Time(float64(r.P99NS)))
	}
	c.Observer.Noted(c.dp.Label, line)
}

// procedureHunt is the searches of one procedure.
type procedureHunt struct {
	study     *study
	load      *n4load.Load
	procedure string
	limit     time.Duration
	outcomes  map[float64]*n4load.Outcome // by rate, of the search under way
}

// find searches for a rate and keeps it.
func (h *procedureHunt) find(ctx context.Context, goal string, below float64) (float64, error) {
	c := h.study
	c.Observer.Stage(c.dp.Label, fmt.Sprintf("searching the rate of %s (%s)", h.procedure, goal))
	report, err := h.search(ctx, goal, below)
	if err != nil {
		return 0, err
	}
	g := report.Goals[0]
	r := record.ProcedureRate{Procedure: h.procedure, Goal: goal, LossRatio: g.Goal.LossRatio, Trials: len(report.Trials), Valid: g.Valid()}
	if goal == record.RateP99 {
		r.P99LimitNS = float64(c.s.Control.P99.Duration)
	}
	for _, reason := range g.Reasons {
		r.Reasons = append(r.Reasons, reason.Text)
	}
	if g.LowerBound != nil {
		r.PerS = g.LowerBound.PPS
		r.AtLeast = g.UpperBound == nil || c.cp.BenchPerS > 0 && r.PerS > nearBench*c.cp.BenchPerS
		if o := h.outcomes[r.PerS]; o != nil {
			r.P50NS, r.P99NS = o.Latency.Quantile(0.5), o.Latency.Quantile(0.99)
		}
	}
	if g.UpperBound != nil && h.outcomes[g.UpperBound.PPS] != nil {
		above := loadRecord(h.procedure, g.UpperBound.PPS, h.outcomes[g.UpperBound.PPS])
		r.Above = &above
	}
	c.keepRate(r)
	if h.procedure == mixName && goal == record.RateMax {
		c.mix = r.PerS
	}
	return r.PerS, nil
}

// search looks for a rate up to what a closed loop reaches and some more, and twice as high as
// long as that is carried: other programs may have held the loop up. With below it looks no
// higher than that.
func (h *procedureHunt) search(ctx context.Context, goal string, below float64) (search.Report, error) {
	if below > 0 {
		return h.upTo(ctx, goal, below)
	}
	closed, err := h.closed(ctx)
	if err != nil {
		return search.Report{}, err
	}
	most := h.study.s.Control.Max.PPS
	for highest := min(most, headroom*closed); ; highest = min(most, 2*max(highest, leastHighest)) {
		report, err := h.upTo(ctx, goal, highest)
		if err != nil || highest >= most || !carriesAll(report) {
			return report, err
		}
	}
}

// carriesAll reports whether a search has found no load that is too high.
func carriesAll(r search.Report) bool {
	return len(r.Goals) > 0 && slices.ContainsFunc(r.Goals[0].Reasons, func(why search.Reason) bool { return why.Code == record.ReasonNoUpperBound })
}

// upTo searches by MLRsearch. A UPF that is gone is an error.
func (h *procedureHunt) upTo(ctx context.Context, goal string, highest float64) (search.Report, error) {
	k := h.study.s.Control
	h.outcomes = map[float64]*n4load.Outcome{}
	loss := maxLoss
	h.limit = k.Trial.Duration / growing
	if goal == record.RateP99 {
		loss, h.limit = lateShare, k.P99.Duration
	}
	d := k.Trial.Duration
	m := search.MLRsearch{MinPPS: max(10, highest/1000), MaxPPS: max(leastHighest, highest),
		Goals: []search.Goal{{Name: goal, LossRatio: loss, Width: rateWidth, ExceedRatio: 0.5,
			InitialTrialDuration: d, FinalTrialDuration: d, DurationSum: 2 * d}},
		Limits: search.Limits{Budget: h.budget()}}
	var gone error
	report, err := m.Run(ctx, func(ctx context.Context, perS float64, d time.Duration) (search.Outcome, error) {
		o, err := h.trial(ctx, perS, d)
		gone = err
		return o, err
	})
	if gone != nil || ctx.Err() != nil || errors.Is(err, search.ErrSettings) {
		return report, errors.Join(ctx.Err(), gone, err)
	}
	return report, nil
}

// budget is how long a search may take.
func (h *procedureHunt) budget() time.Duration {
	if n4load.UsesUp(sharesFor(h.study.s, h.procedure)) {
		return backBudget
	}
	return rateBudget
}

func lowerBound(r search.Report) float64 {
	if len(r.Goals) == 0 || r.Goals[0].LowerBound == nil {
		return 0
	}
	return r.Goals[0].LowerBound.PPS
}

// closed is the rate when each request waits for room in the window.
func (h *procedureHunt) closed(ctx context.Context) (float64, error) {
	if err := h.ready(ctx); err != nil {
		return 0, err
	}
	p := n4load.Procedure(h.procedure)
	if h.procedure == mixName {
		p = n4load.Modify
	}
	d, err := h.load.Drive(ctx, p, h.study.cp.Sessions, h.study.s.Control.Window)
	return d.PerS(), err
}

// ready brings the sessions into the state that a trial begins with.
func (h *procedureHunt) ready(ctx context.Context) error {
	window := h.study.s.Control.Window
	if h.procedure == mixName {
		return h.load.Half(ctx, window)
	}
	return h.load.Ready(ctx, n4load.Procedure(h.procedure), window)
}

// trial offers a rate for a time. Of a procedure that uses sessions up it is made of
// pieces, between which they are brought back.
func (h *procedureHunt) trial(ctx context.Context, perS float64, d time.Duration) (search.Outcome, error) {
	o, err := h.offer(ctx, n4load.Offer{PerS: perS, Duration: d, Mix: sharesFor(h.study.s, h.procedure), Limit: h.limit})
	if err != nil {
		return search.Outcome{}, err
	}
	h.outcomes[perS] = o
	lost := o.Refused + o.Unanswered + o.Late
	const uneven = 5 * time.Millisecond
	return search.Outcome{Sent: o.Sent, Lost: min(lost, o.Sent), Seconds: max(o.Seconds, d.Seconds()), Valid: true,
		Disturbed: o.Lag.Max > uint64(uneven), LimitedBy: record.LimitDUT}, nil
}

func (h *procedureHunt) offer(ctx context.Context, o n4load.Offer) (*n4load.Outcome, error) {
	var sum *n4load.Outcome
	for left, rest := o.Duration, o.Duration/20; left > rest; {
		if err := h.ready(ctx); err != nil {
			return sum, err
		}
		o.Duration = left
		more, err := h.load.Offer(ctx, o)
		if err != nil {
			return sum, err
		}
		left -= time.Duration(more.Seconds * float64(time.Second))
		if sum == nil {
			sum = more
		} else {
			sum.Add(more)
		}
		if more.Sent == 0 {
			return sum, fmt.Errorf("%s: no session is left for it", h.procedure)
		}
	}
	return sum, nil
}
