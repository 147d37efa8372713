// Package rates searches what a DUT carries, and asks wire whether it carries that, too.
package rates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/methods"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

// Searches does what the scenario asks to search of a DUT, with each size and in
// each direction.
func Searches(ctx context.Context, r *kit.Meter, dp *trial.Deployment, repeat int, out *record.DUT) error {
	for _, size := range r.Plan.Sizes() {
		for _, d := range methods.Directions(dp.Scenario) {
			h := &hunt{Meter: r, dp: dp, direction: d, size: size, repeat: repeat, empty: idleDelay(out.Trials, d)}
			h.ceiling, h.unpaced = unpaced(out.Trials, d, size)
			if err := h.all(ctx, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// all does the searches of one size and direction.
func (h *hunt) all(ctx context.Context, out *record.DUT) error {
	list := methods.Of(h.dp.Scenario.Search)
	if h.dp.Endpoint.IsWire() {
		list = h.Plan.OfWire(list)
	}
	for _, m := range list {
		found, err := h.find(ctx, m)
		if err != nil {
			h.keepCut(found, out)
			return err
		}
		if err := keep(ctx, h.Meter, h.dp, found, out); err != nil {
			return err
		}
		if err := h.dp.Alive(); err != nil {
			return err
		}
	}
	return nil
}

// keepCut keeps what a search had when the user ended it.
func (h *hunt) keepCut(found record.Search, out *record.DUT) {
	if len(found.Trials) > 0 {
		out.Searches = append(out.Searches, found)
	}
}

// keep writes a search down and takes the latency at shares of its rate.
func keep(ctx context.Context, r *kit.Meter, dp *trial.Deployment, found record.Search, out *record.DUT) error {
	out.Searches = append(out.Searches, found)
	r.Observer.Searched(dp.Label, found)
	return errors.Join(r.Save(), latencyCurve(ctx, r, dp, found, out))
}

// hunt is the searches of one size and direction of a DUT.
type hunt struct {
	*kit.Meter
	dp        *trial.Deployment
	direction record.Direction
	size      scenario.PacketSize
	repeat    int
	ceiling   float64       // packets/s that the generator reached unpaced; 0: not known
	unpaced   float64       // packets/s that the DUT forwarded of that; 0: not known
	rate      float64       // packets/s that the DUT was found to forward; 0: not known
	sent      float64       // packets/s within bursts; 0: not known
	empty     time.Duration // one-way, through the idle DUT; 0: not known
	excluded  float64       // s of the search's trials, that did not count
	drawn     int           // trials so far: each has random gaps of its own
}

// find does one search. An error is the user's end, or a DUT or bench that is
// gone; any other outcome is in the result.
func (h *hunt) find(ctx context.Context, m scenario.Method) (record.Search, error) {
	h.Observer.Stage(h.dp.Label, fmt.Sprintf("searching: %s, %s, size %s", m, h.direction, h.size.Name))
	var found record.Search
	var err error
	h.excluded = 0
	switch m {
	case scenario.MethodLossCurve:
		found, err = h.curve(ctx)
	case scenario.MethodBackToBack:
		found, err = h.backToBack(ctx)
	default:
		found, err = h.rates(ctx, m)
	}
	h.disclaim(&found)
	if err != nil && (ctx.Err() != nil || errors.Is(err, search.ErrSettings)) {
		return found, errors.Join(ctx.Err(), err)
	}
	var unsaved kit.SaveError
	if errors.As(err, &unsaved) {
		return found, err
	}
	return found, nil // what else went wrong is in its reasons
}

// rates runs a search for rates.
func (h *hunt) rates(ctx context.Context, m scenario.Method) (record.Search, error) {
	var report search.Report
	var err error
	switch m {
	case scenario.MethodMLRsearch:
		s, bad := methods.MLRsearch(h.dp.Scenario.Search, h.conditions())
		if bad != nil {
			return record.Search{}, bad
		}
		s.MaxPPS = h.highest(s.MinPPS, s.MaxPPS)
		report, err = s.Run(ctx, h.trial)
	default:
		s, bad := methods.Throughput(h.dp.Scenario.Search, m, h.conditions())
		if m == methods.Forwarding {
			s.LossRatio = methods.ForwardingLoss
		}
		if bad != nil {
			return record.Search{}, bad
		}
		s = methods.Stepped(s, h.highest(float64(s.MinPPS), float64(s.MaxPPS)), h.dp.Scenario.Search.Step)
		report, err = s.Run(ctx, h.trial)
	}
	found := h.found(report.Method, report.Trials, report.Elapsed)
	fillRates(&found, report)
	if m == methods.Forwarding && len(found.Goals) > 0 {
		found.Goals[0].Name = "forwarding"
	}
	if pps := forwards(report); pps > 0 {
		h.rate = max(h.rate, pps, h.unpaced)
	}
	return found, err
}

// forwards is what the DUT forwards by its valid goals, packets/s; 0: none.
func forwards(report search.Report) (pps float64) {
	for _, g := range report.Goals {
		if g.Valid() && g.Goal.LossRatio <= methods.ForwardingLoss {
			pps = max(pps, g.ConditionalThroughput)
		}
	}
	return pps
}

// curve measures frame loss over load.
func (h *hunt) curve(ctx context.Context) (record.Search, error) {
	s, err := methods.LossCurve(h.dp.Scenario.Search, h.conditions())
	if err != nil {
		return record.Search{}, err
	}
	s.MaxPPS = h.highest(h.dp.Scenario.Search.Min.PPS, s.MaxPPS)
	report, err := s.Run(ctx, h.trial)
	found := h.found(record.MethodLossCurve, report.Trials, report.Elapsed)
	found.MinPPS, found.MaxPPS = s.Step*s.MaxPPS, s.MaxPPS
	fillCurve(&found, report)
	return found, err
}

// highest bounds the loads by what the generator surely reaches, from what it sent
// unpaced: trials beyond would only show that it fails.
func (h *hunt) highest(lowest, highest float64) float64 {
	if h.ceiling*reach > lowest {
		return min(highest, h.ceiling*reach)
	}
	return highest
}

// trial is a trial as a search sees it: load and duration in, loss out.
func (h *hunt) trial(ctx context.Context, pps float64, duration time.Duration) (search.Outcome, error) {
	if err := wait.Pause(ctx, h.dp.Scenario.Search.Pause.Duration); err != nil {
		return search.Outcome{}, err
	}
	spec := trial.Spec{Kind: record.KindLoad, Direction: h.direction, Size: h.size, Load: record.Load{PPS: pps},
		Duration: duration, Repeat: h.repeat, Draw: h.drawn, Unwatched: true}
	h.drawn++
	t, err := h.Measure(ctx, h.dp, spec)
	if err != nil {
		return search.Outcome{}, err
	}
	h.excluded += excludedSeconds(t)
	silent, err := h.dp.SilentEnd(spec)
	if err != nil {
		return search.Outcome{}, err
	}
	return outcomeOf(t, silent), h.dp.Alive()
}

// outcomeOf is what a search makes of a trial. In a part of its time, silent, nothing was due.
func outcomeOf(t record.Trial, silent time.Duration) search.Outcome {
	o := search.Outcome{Sent: t.TxPackets, Intended: t.Intended, Seconds: t.DurationS + silent.Seconds(), Excluded: excludedSeconds(t),
		Valid: t.Valid, Reasons: t.Reasons, LimitedBy: t.LimitedBy, Raw: t.Raw}
	if t.TxPackets > t.RxPackets {
		o.Lost = t.TxPackets - t.RxPackets
	}
	if nearlyAll(t) {
		o.Valid, o.LimitedBy, o.Reasons = true, "", nil
	}
	o.Disturbed = (t.Stalls > 0 || t.LimitedBy == record.LimitHost) && o.Lost <= t.LateSlots
	return o
}

// nearly is how much less than intended a trial of a search may send and count: half of the
// width to which rates are found.
const nearly = 0.0025

// nearlyAll reports whether nothing is wrong with a trial but that its generator skipped a
// few slots. Its loss is that of a load that is as good as the same; what limited it is not
// known.
func nearlyAll(t record.Trial) bool {
	return len(t.Faults) == 1 && t.Faults[0] == record.FaultNotSent && t.TxPackets < t.Intended &&
		float64(t.TxPackets) >= (1-nearly)*float64(t.Intended)
}

// conditions are what standards ask of a search besides what it does.
func (h *hunt) conditions() search.Conditions {
	s := h.dp.Scenario
	return search.Conditions{
		FrameSizes: h.frameSizes(),
		Residual:   s.Settle.Duration, Restabilise: s.Search.Pause.Duration,
	}
}

// idleDelay is the one-way delay of most packets at the lowest load that latency
// was taken at in a direction; 0: it was not.
func idleDelay(trials []record.Trial, d record.Direction) time.Duration {
	lowest, delay := 0.0, uint64(0)
	for _, t := range trials {
		if t.Kind == record.KindLatency && t.Direction == d && t.Actual != nil && (lowest == 0 || t.Load.PPS < lowest) {
			lowest, delay = t.Load.PPS, t.Actual.P50
		}
	}
	return time.Duration(delay)
}

// frameSizes are those of all of the run's sizes that are no mixtures, as sent in
// this direction, with FCS.
func (h *hunt) frameSizes() (sizes []int) {
	for _, size := range h.Plan.Sizes() {
		if !size.Mixed() {
			sizes = append(sizes, h.describe(size).FrameBytes+fcs)
		}
	}
	return sizes
}

// describe is what a trial of a size is known by.
func (h *hunt) describe(size scenario.PacketSize) record.Trial {
	return h.dp.Describe(trial.Spec{Size: size, Direction: h.direction})
}

// fcs is the frame check sequence, which standards count.
const fcs = 4

// unpaced is what the generator sent of a size in a direction with no pace, and what
// arrived, packets/s; 0: not measured.
func unpaced(trials []record.Trial, d record.Direction, size scenario.PacketSize) (sent, arrived float64) {
	for _, t := range trials {
		if t.Load.PPS == 0 && t.Direction == d && t.Size == size.Name {
			sent, arrived = max(sent, t.TxPPS), max(arrived, t.RxPPS)
		}
	}
	return sent, arrived
}
