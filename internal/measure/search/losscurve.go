package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// LossCurve measures frame loss rate over load (RFC 2544 clause 26.3): from the
// highest rate down in equal steps, until two trials in a row lose nothing.
type LossCurve struct {
	// MaxPPS is the maximum rate for the frame size on the medium, packets/s.
	MaxPPS float64
	// Step is the part of MaxPPS between loads, above 0; at most 0.1 by the
	// clause.
	Step     float64
	Duration time.Duration // of each trial; clause 24 asks for 60 s
	// All goes on down to one step above 0, for a whole curve.
	All        bool
	Limits     Limits
	Conditions Conditions
}

// CurvePoint is one trial of the curve.
type CurvePoint struct {
	Ratio float64 // of MaxPPS, 0..1
	PPS   float64 // packets/s offered
	// LossRatio is the frame loss rate as a ratio, 0..1.
	LossRatio float64
	// Bench is true when the bench did not reach the load: then the loss is not
	// the device's.
	Bench     bool
	LimitedBy record.Limit // as in Outcome
}

// CurveReport is a frame loss curve.
type CurveReport struct {
	Points     []CurvePoint // loads descending
	Trials     []Record
	Elapsed    time.Duration
	Reasons    []Reason // why the curve is not whole; none when it is
	Conditions Conditions
	settings   LossCurve
}

// Valid reports whether the curve came to its own end.
func (r CurveReport) Valid() bool { return len(r.Points) > 0 && len(r.Reasons) == 0 }

// Run measures the curve; for errors see [MLRsearch.Run].
func (l LossCurve) Run(ctx context.Context, t Trial) (CurveReport, error) {
	report := CurveReport{Conditions: l.Conditions, settings: l}
	if err := l.check(); err != nil {
		return report, err
	}
	r := newRunner(l.Limits)
	ended := l.descend(ctx, t, r, &report)
	if reason, early := reasonOf(ended); early {
		report.Reasons = append(report.Reasons, reason)
	}
	report.Trials, report.Elapsed = r.records(), r.elapsed()
	return report, failure(ended)
}

func (l LossCurve) check() error {
	errs := []error{l.Limits.check(), checkRange(l.MaxPPS/2, l.MaxPPS)}
	if !(l.Step >= 0.001 && l.Step <= 0.5) {
		errs = append(errs, fmt.Errorf("steps of %v of the highest load: use 0.001 to 0.5; 0.1 is the usual one", l.Step))
	}
	if l.Duration < shortestTrial {
		errs = append(errs, fmt.Errorf("trials of %v: use %v or more", l.Duration, shortestTrial))
	}
	return settings(errs...)
}

func (l LossCurve) descend(ctx context.Context, t Trial, r *runner, report *CurveReport) error {
	zeros := 0
	for i := 0; ; i++ {
		ratio := 1 - float64(i)*l.Step
		if ratio < l.Step/2 || ratio*l.MaxPPS*l.Duration.Seconds() < 1 {
			break
		}
		p, err := l.point(ctx, t, r, ratio)
		if err != nil {
			return err
		}
		report.Points = append(report.Points, p)
		if zeros++; p.LossRatio > 0 || p.Bench {
			zeros = 0
		}
		if zeros == 2 && !l.All {
			return nil
		}
	}
	if zeros < 2 {
		report.Reasons = append(report.Reasons, because(record.ReasonNoLowerBound,
			"no two loads in a row were without loss down to %s; take smaller steps, or see whether the device "+
				"forwards at all", rate(l.Step*l.MaxPPS)))
	}
	return nil
}

func (l LossCurve) point(ctx context.Context, t Trial, r *runner, ratio float64) (CurvePoint, error) {
	s, err := r.measure(ctx, load(t, PhaseSearch, ratio*l.MaxPPS, l.Duration))
	return CurvePoint{
		Ratio: ratio, PPS: ratio * l.MaxPPS, LossRatio: s.loss, LimitedBy: s.limitedBy,
		Bench: s.beyond || s.loss > 0 && s.limitedBy == record.LimitGenerator,
	}, err
}

// Standard gives the name of the standard the curve may carry, and what is
// missing for it. Either is empty.
func (r CurveReport) Standard() (name string, missing []string) {
	add := func(bad bool, text string) {
		if bad {
			missing = append(missing, text)
		}
	}
	add(!r.Valid(), "the curve is not whole")
	add(r.settings.Step > 0.1, fmt.Sprintf("steps of %v of the highest rate, not 0.1 or less (RFC 2544 clause 26.3)", r.settings.Step))
	add(r.settings.Duration < fullTrial, fmt.Sprintf("trials of %v, not %v (RFC 2544 clause 24)", r.settings.Duration, fullTrial))
	add(!r.Conditions.LineRate, "the first rate is not known to be the medium's maximum (RFC 2544 clause 20)")
	add(len(r.Points) > 0 && r.Points[0].Bench, "the bench did not reach the first rate")
	return named(StandardLossRate, append(missing, r.Conditions.missing()...))
}

const (
	// floorReach: loss that is as rare at this many times the lowest load above the bound that
	// loses does not depend on load. A device that is full loses a fifth of the packets there.
	floorReach = 1.25
	// floorChance is how likely it has to be that a bound lost as little by chance.
	floorChance = 0.01
	// rare is the most that is taken for loss by chance.
	rare = 0.01
)

// lossFloor says that loads well above a lower bound, packets/s, lost no more than the bound
// might as well have lost: then the search has found how many packets it takes to lose one,
// and not a load. "" where loss grows with load.
func lossFloor(trials []Record, bound, lossRatio float64) string {
	used := slices.DeleteFunc(slices.Clone(trials), func(r Record) bool { return !r.Used })
	slices.SortStableFunc(used, func(a, b Record) int { return cmp.Compare(a.PPS, b.PPS) })
	var few, fewLost, sent, lost float64 // at the bound, and well above
	var losing float64                   // the lowest load above the bound that lost a packet
	for i, r := range used {
		o := r.Outcome
		switch {
		case r.PPS == bound:
			few, fewLost = few+float64(o.Sent), fewLost+float64(o.Lost)
			continue
		case r.PPS > bound && o.Lost > 0 && losing == 0:
			losing = r.PPS
		}
		switch {
		case r.PPS < floorReach*bound:
			continue
		case o.LimitedBy == record.LimitGenerator:
			return ""
		}
		sent, lost = sent+float64(o.Sent), lost+float64(o.Lost)
		if i+1 < len(used) && used[i+1].PPS == r.PPS { // all trials at a load first
			continue
		}
		if lost > rare*sent {
			return ""
		}
		if lost > lossRatio*sent && r.PPS >= floorReach*losing && poissonAtMost(fewLost, few*lost/sent) >= floorChance {
			return fmt.Sprintf("loss does not depend on load: up to %s %.2g %% is lost, and the %.0f packets at "+
				"%s were too few to show as much; take a goal that allows more loss, and look for what loses packets at any load",
				rate(r.PPS), 100*lost/sent, few, rate(bound))
		}
	}
	return ""
}

// poissonAtMost is how likely it is that at most k happen of which mean are expected.
func poissonAtMost(k, mean float64) float64 {
	k = math.Round(k)
	if mean > 500 { // a normal distribution by then
		return 0.5 * math.Erfc((mean-k-0.5)/math.Sqrt(2*mean))
	}
	term, sum := math.Exp(-mean), 0.0
	for i := 0.0; i <= k && (term > 0 || i < mean); i++ {
		sum += term
		term *= mean / (i + 1)
	}
	return min(1, sum)
}

// LossVerification repeats lossy trials in the hope that the loss was a passing
// disturbance (ETSI GS NFV-TST 009 clause 12.3.3). The zero value does not.
type LossVerification struct {
	// Trials is max(r): how many trials in all a load is given to be without
	// loss, 1..100; 0 means 1.
	Trials int
	// GiveUp is z, packets: a trial that loses more is not repeated; 0 means
	// that all are.
	GiveUp uint64
}

const mostVerified = 100

func (v LossVerification) check() error {
	if v.Trials < 0 || v.Trials > mostVerified {
		return fmt.Errorf("loss verification with %d trials: use 1 to %d, or 0 for none", v.Trials, mostVerified)
	}
	return nil
}

// judged is what the trials at one load, or of one burst, came to.
type judged struct {
	good    bool
	trials  []sample
	lastOne sample
}

// judge makes trials until one is good, or all that are allowed were not.
func (v LossVerification) judge(ctx context.Context, r *runner, w want, lossRatio float64) (judged, error) {
	var j judged
	for range max(1, v.Trials) {
		s, err := r.measure(ctx, w)
		if err != nil {
			return j, err
		}
		j.trials, j.lastOne = append(j.trials, s), s
		if j.good = !s.high(lossRatio); j.good || s.beyond || v.tooMany(r.latest) {
			break
		}
	}
	return j, nil
}

func (v LossVerification) tooMany(o Outcome) bool { return v.GiveUp > 0 && o.Lost > v.GiveUp }

// beyond reports whether the bench, not the device, was the limit.
func (j judged) beyond() bool {
	return j.lastOne.beyond || limitedBy(j.trials, true, 0) == record.LimitGenerator
}
