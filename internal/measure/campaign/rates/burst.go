package rates

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/measure/campaign/methods"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
)

// The rates that a burst is asked for: as fast as the generator sends with each
// frame handed over by itself, so that frames reach the DUT as they are sent; for
// a DUT that is about as fast, as fast as it sends at all, by eights. What it
// did is measured.
const (
	burstPPS   = 1.5e6
	fastestPPS = 20e6
)

// sampleBurst is the burst, packets, by which the generator's rate within bursts
// is found; it takes the median of sampleBursts.
const (
	sampleBurst  = 1000
	sampleBursts = 5
)

// backToBack looks for the longest burst without loss.
func (h *hunt) backToBack(ctx context.Context) (record.Search, error) {
	sent, err := h.burstRate(ctx)
	h.sent = sent
	if err != nil {
		return h.noBursts(record.ReasonTrialFailed, err.Error()), err
	}
	s, wait, err := methods.BackToBack(h.dp.Scenario.Search, h.conditions(), sent, h.rate)
	switch {
	case err != nil:
		return record.Search{}, err
	case h.rate == 0:
		return h.noBursts(record.ReasonNoLowerBound,
			"the DUT's throughput is not known, and with it not what it forwards while a burst arrives: see why "+
				"the search before this one has none"), nil
	case s.LeastRate >= 1:
		return h.noBursts(record.ReasonNotBackToBack,
			fmt.Sprintf("the generator sends bursts at %.4g kpps and the DUT forwards %.4g kpps: a burst fills no "+
				"buffer (RFC 9004 clause 5); use a faster generator or a smaller frame", sent/1e3, h.rate/1e3)), nil
	}
	s.EmptyDelay = h.empty
	report, err := s.Run(ctx, h.burstTrial(wait))
	found := h.found(record.MethodBackToBack, report.Trials, report.Elapsed)
	found.MinPPS, found.MaxPPS = sent, sent
	fillBursts(&found, report)
	return found, err
}

// noBursts is a result that says why there is none.
func (h *hunt) noBursts(code record.SearchReason, why string) record.Search {
	s := h.found(record.MethodBackToBack, nil, 0)
	s.Reasons, s.ReasonCodes = []string{why}, []string{string(code)}
	return s
}

// burstRate is how fast the generator sends a burst towards this DUT, packets/s.
func (h *hunt) burstRate(ctx context.Context) (float64, error) {
	var rates []float64
	for range sampleBursts {
		o, err := h.burst(ctx, sampleBurst)
		if err != nil {
			return 0, err
		}
		if o.Seconds > 0 {
			rates = append(rates, float64(o.Sent)/o.Seconds)
		}
	}
	return stats.Median(rates), nil
}

// burstTrial is a burst as a search sees it: the DUT had so long to empty its
// buffers before.
func (h *hunt) burstTrial(rest time.Duration) search.BurstTrial {
	return func(ctx context.Context, packets uint64) (search.Outcome, error) {
		if err := wait.Pause(ctx, rest); err != nil {
			return search.Outcome{}, err
		}
		return h.burst(ctx, packets)
	}
}

// burstLoad is the load, packets/s, that a burst is asked for. A long one is asked
// for at the rate that the generator keeps, or it would be cut off as too late.
func (h *hunt) burstLoad(packets uint64) float64 {
	const short = 0.02 // s
	if h.sent > 0 && float64(packets)/h.sent > short {
		return h.sent
	}
	if h.rate > burstPPS/2 {
		return fastestPPS
	}
	return burstPPS
}

// burst sends exactly so many packets as fast as the generator can, without a
// warm-up. Its validity is its own: what a trial of some time is held to says
// nothing of a burst.
func (h *hunt) burst(ctx context.Context, packets uint64) (search.Outcome, error) {
	pps := h.burstLoad(packets)
	// Half a gap short of the last slot's end: slots fall due at the beginning.
	length := time.Duration((float64(packets) - 0.5) / pps * float64(time.Second))
	spec := trial.Spec{Kind: record.KindLoad, Direction: h.direction, Size: h.size, Load: record.Load{PPS: pps}, Duration: max(length, 1),
		Repeat: h.repeat, Burst: true}
	t, err := h.Measure(ctx, h.dp, spec)
	if err != nil {
		return search.Outcome{}, err
	}
	o := search.Outcome{Sent: t.TxPackets, Seconds: t.DurationS, Valid: t.TxPackets == packets, LimitedBy: t.LimitedBy, Raw: t.Raw}
	if !o.Valid {
		o.Reasons = []string{fmt.Sprintf("%d packets were sent of a burst of %d", t.TxPackets, packets)}
	}
	if t.Actual != nil {
		o.MaxDelay = time.Duration(t.Actual.Max)
	}
	if t.TxPackets > t.RxPackets {
		o.Lost = t.TxPackets - t.RxPackets
	}
	return o, h.dp.Alive()
}
