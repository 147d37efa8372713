package search

import (
	"context"
	"fmt"
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
	LimitedBy string // as in Outcome
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
		report.Reasons = append(report.Reasons, because(NoLowerBound,
			"no two loads in a row were without loss down to %s; take smaller steps, or see whether the device forwards at all", rate(l.Step*l.MaxPPS)))
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
