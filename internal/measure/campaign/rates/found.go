package rates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
)

// found is what all searches have: what of, how long, and every trial.
func (h *hunt) found(m record.Method, trials []search.Record, took time.Duration) record.Search {
	dp, of := h.dp, h.describe(h.size)
	s := record.Search{
		Method: m, Preset: dp.Scenario.Search.Preset, Direction: h.direction, Repeat: h.repeat,
		Sessions: dp.Scenario.Sessions,
		PacketSize: record.PacketSize{
			Size: h.size.Name, Mixed: h.size.Mixed(), PayloadBytes: of.PayloadBytes, InnerBytes: of.InnerBytes,
			FrameBytes: of.FrameBytes,
		},
		DurationS: took.Seconds(), Judgement: record.Judgement{Reasons: []string{}},
	}
	s.Trials = searchTrials(trials)
	return s
}

// searchTrials are trials as a result has them.
func searchTrials(trials []search.Record) (list []record.SearchTrial) {
	for _, t := range trials {
		list = append(list, record.SearchTrial{
			Phase: string(t.Phase), Frames: t.Frames, PPS: t.PPS, DurationS: t.Duration.Seconds(), Sent: t.Outcome.Sent,
			Lost: t.Outcome.Lost, Used: t.Used, TopUp: t.TopUp, CountedS: t.Outcome.Seconds,
			LimitedBy: t.Outcome.LimitedBy, Reasons: t.Outcome.Reasons, EndedNS: int64(t.Ended), Raw: t.Outcome.Raw,
		})
	}
	return list
}

func fillRates(s *record.Search, report search.Report) {
	s.MinPPS, s.MaxPPS, s.Valid = report.MinPPS, report.MaxPPS, report.Valid()
	s.Reasons, s.ReasonCodes = explained(report.Reasons)
	s.Standard, s.Missing = report.Standard()
	for _, g := range report.Goals {
		s.Goals = append(s.Goals, searchGoal(g))
	}
	s.NDRPPS, s.PDRPPS = rateOf(report, search.NDR), rateOf(report, search.PDR)
	if g, _ := report.Goal(search.GoalThroughput); g.Goal.LossRatio == 0 {
		s.ThroughputPPS, _ = g.Rate()
	}
	if len(s.Goals) > 0 {
		s.LimitedBy = s.Goals[0].LimitedBy
	}
}

// rateOf is the rate of a goal, packets/s; 0 when the search has no valid one.
func rateOf(report search.Report, goal string) float64 {
	g, _ := report.Goal(goal)
	pps, _ := g.Rate()
	return pps
}

func searchGoal(g search.GoalResult) record.SearchGoal {
	out := record.SearchGoal{
		Name: record.Goal(g.Goal.Name), LossRatio: g.Goal.LossRatio, Width: g.Goal.Width,
		ConditionalPPS: g.ConditionalThroughput, InitialDurationS: g.Goal.InitialTrialDuration.Seconds(),
		FinalDurationS: g.Goal.FinalTrialDuration.Seconds(), DurationSumS: g.Goal.DurationSum.Seconds(),
		ExceedRatio: g.Goal.ExceedRatio, Judgement: record.Judgement{LimitedBy: g.LimitedBy, Valid: g.Valid()},
		Regular: g.Regular(), Verified: g.Verified,
	}
	out.LastLowerPPS, out.LastUpperPPS = g.LastLowerPPS, g.LastUpperPPS
	if g.Verified {
		out.Off = g.Off
	}
	out.Reasons, out.ReasonCodes = explained(g.Reasons)
	if g.LowerBound != nil {
		out.LowerPPS = g.LowerBound.PPS
	}
	if g.UpperBound != nil {
		out.UpperPPS = g.UpperBound.PPS
	}
	return out
}

func fillCurve(s *record.Search, report search.CurveReport) {
	s.Valid = report.Valid()
	s.Reasons, s.ReasonCodes = explained(report.Reasons)
	s.Standard, s.Missing = report.Standard()
	for _, p := range report.Points {
		s.Curve = append(s.Curve, record.CurvePoint{
			Ratio: p.Ratio, PPS: p.PPS, LossRatio: p.LossRatio, Bench: p.Bench, LimitedBy: p.LimitedBy,
		})
	}
	if len(s.Curve) > 0 {
		s.LimitedBy = s.Curve[0].LimitedBy
	}
}

func fillBursts(s *record.Search, report search.BurstReport) {
	s.Valid, s.LimitedBy = report.Valid(), report.LimitedBy
	s.Reasons, s.ReasonCodes = explained(report.Reasons)
	s.Standard, s.Missing = report.Standard()
	s.Bursts = &record.Bursts{
		Longest: report.Longest, Average: report.Average, StdDev: report.StdDev, Min: report.Min, Max: report.Max,
		SentPPS: report.BurstPPS, ThroughputPPS: report.ThroughputPPS, ImpliedS: report.ImpliedBuffer.Seconds(),
		CorrectedS: report.CorrectedBuffer.Seconds(), BufferPackets: report.BufferPackets,
	}
}

// explained gives the texts and the codes of reasons.
func explained(reasons []search.Reason) (texts, codes []string) {
	texts = []string{}
	for _, r := range reasons {
		texts, codes = append(texts, r.Text), append(codes, string(r.Code))
	}
	return texts, codes
}

// excludedSeconds is how much of a trial does not count, s.
func excludedSeconds(t record.Trial) float64 {
	if t.Excluded == nil || t.Excluded.Void {
		return 0
	}
	return t.Excluded.Seconds
}

// disclaim takes a standard's name from a search of whose trials a part does not count:
// standards know of no such thing.
func (h *hunt) disclaim(s *record.Search) {
	if h.excluded == 0 {
		return
	}
	s.Standard = ""
	s.Missing = append(s.Missing,
		fmt.Sprintf("%.3g s of its trials, in which the machine was disturbed, do not count (with disturbed: "+
			"keep they do)", h.excluded))
}

// shares of the non-drop rate at which latency is taken.
func shares() []float64 { return []float64{0.1, 0.5, 0.9, 1} }

// latencyCurve takes the latency at shares of the rate that a search found: of
// the non-drop rate, or at throughput alone (RFC 2544 clause 26.2).
func latencyCurve(ctx context.Context, r *kit.Meter, dp *trial.Deployment, s record.Search, out *record.DUT) error {
	rate, of, at := s.NDRPPS, record.GoalNDR, shares()
	if rate == 0 {
		rate, of, at = s.ThroughputPPS, record.GoalThroughput, []float64{1}
	}
	if rate == 0 {
		return nil
	}
	for _, share := range at {
		for range max(1, dp.Scenario.Search.LatencyRepeats) {
			load := record.Load{Kind: record.LoadShare, PPS: share * rate, Share: share, Of: of}
			t, err := r.LatencyAt(ctx, dp, s.Direction, r.Plan.SizeNamed(s.Size), load, s.Repeat)
			if err != nil {
				return err
			}
			out.Trials = append(out.Trials, t)
			if err := errors.Join(r.Save(), dp.Alive()); err != nil {
				return err
			}
		}
	}
	return nil
}

// FoundLatencies are the latency trials at rates that were found for UPFs in a
// repeat, each load once, named by whose rate it is a share of.
func FoundLatencies(r *kit.Book, repeat int) (list []record.Trial) {
	for i, d := range r.Result.DUTs {
		if d.Reference {
			continue
		}
		for _, t := range d.Trials {
			if t.Kind != record.KindLatency || t.Repeat != repeat || !t.Load.Relative() {
				continue
			}
			same := func(o record.Trial) bool { return o.KeyAtRate() == t.KeyAtRate() }
			if !slices.ContainsFunc(list, same) {
				t.Load.OfDUT = r.Plan.Targets[i].Label()
				list = append(list, t)
			}
		}
	}
	return list
}
