package stats

import "math"

// What a Drift can be.
const (
	DriftSteady  = "steady"
	DriftRises   = "rises"
	DriftFalls   = "falls"
	DriftUnknown = "cannot tell"
)

// driftLevel is the level of a drift's test. A soak makes four, so that one of
// twenty soaks of something steady is named at most.
const driftLevel = 0.0125

// Drift is what a trend comes to over a soak.
type Drift struct {
	Trend
	// Change is what the quantity changed by over the whole time, as a share of
	// its median; ChangeLow and ChangeHigh are its interval of 95 %.
	Change, ChangeLow, ChangeHigh float64
	Verdict                       string
}

// DriftOf judges a quantity over time: t is ascending, tolerance is the share of
// the median by which it may change in all that time. It rises or falls when the
// trend is beyond chance and the change beyond the tolerance; it is steady when
// the interval lies within the tolerance; else it cannot be told.
func DriftOf(t, y []float64, tolerance float64) Drift {
	trend, ok := TrendOf(t, y)
	d := Drift{Trend: trend, Verdict: DriftUnknown}
	if !ok || trend.Median <= 0 {
		return d
	}
	scale := (t[len(t)-1] - t[0]) / trend.Median
	d.Change, d.ChangeLow, d.ChangeHigh = trend.Slope*scale, trend.Low*scale, trend.High*scale
	beyond := trend.P < driftLevel && math.Abs(d.Change) > tolerance
	switch {
	case beyond && d.Change > 0:
		d.Verdict = DriftRises
	case beyond:
		d.Verdict = DriftFalls
	case d.ChangeLow >= -tolerance && d.ChangeHigh <= tolerance:
		d.Verdict = DriftSteady
	}
	return d
}
