package queueing

import (
	"fmt"
	"math"
	"slices"
)

// Study is M/M/1 as in Kevin Ji Shan, "Stress Testing Open5GS UPF
// Implementation", TU Delft 2025: mean latency = fac/(mu - load) + c, fitted to
// the means alone with the least mean square error. It needs means at two loads
// or more; MuPPS is 0 else.
//
// The study's equation 4 for percentiles is misprinted (a = -e^(1-X/100) where
// the logarithm belongs). From P(S > a E(S)) = e^-a the percentile X of the
// sojourn is -ln(1 - X/100) E(S), which is used here, with c added after.
type Study struct {
	// Grid is found by a grid search, as in the study; Fit by least squares.
	Grid, Fit StudyFit
}

// StudyFit is one set of parameters.
type StudyFit struct {
	MuPPS   float64 // over the highest load
	Fac     float64 // ns times pps
	DelayNS float64 // c of the study
	MSE     float64 // mean square error of the means, ns²
	// Mean of |predicted/measured - 1| over all loads; 0 is not measured.
	MeanErrorRatio, P95ErrorRatio, P99ErrorRatio float64
}

// MeanNS predicts the mean latency at a load, ns; +Inf from mu on.
func (s StudyFit) MeanNS(loadPPS float64) float64 {
	if loadPPS >= s.MuPPS {
		return math.Inf(1)
	}
	return s.Fac/(s.MuPPS-loadPPS) + s.DelayNS
}

// QuantileNS predicts the latency that a share p of the packets, 0..1, does not
// exceed, ns.
func (s StudyFit) QuantileNS(loadPPS, p float64) float64 {
	return s.DelayNS - math.Log1p(-p)*(s.MeanNS(loadPPS)-s.DelayNS)
}

func fitStudy(loads []load) Study {
	var x, y []float64
	for _, l := range loads {
		if ns, ok := l.latency(Mean); ok {
			x, y = append(x, l.pps), append(y, ns)
		}
	}
	if len(x) < 2 {
		return Study{}
	}
	s := Study{Grid: studyGrid(x, y), Fit: studyLeastSquares(x, y)}
	s.Grid.errors(loads)
	s.Fit.errors(loads)
	return s
}

// studyGrid tries 60 values of each parameter: mu to twice the highest load, fac
// over all that can make the latencies seen, c up to the shortest.
func studyGrid(x, y []float64) StudyFit {
	const steps = 60
	highest, least, longest := x[len(x)-1], slices.Min(y), slices.Max(y)
	best := StudyFit{MSE: math.Inf(1)}
	for i := 1; i <= steps; i++ {
		mu := highest * (1 + math.Pow(float64(i)/steps, 3))
		top := longest * (mu - x[0])
		for j := range steps {
			fac := top * math.Pow(1e-4, float64(j)/steps)
			for k := range steps {
				s := StudyFit{MuPPS: mu, Fac: fac, DelayNS: least * float64(k) / steps}
				if s.MSE = s.squareError(x, y); s.MSE < best.MSE {
					best = s
				}
			}
		}
	}
	return best
}

func (s StudyFit) squareError(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		d := s.MeanNS(x[i]) - y[i]
		sum += d * d
	}
	return sum / float64(len(x))
}

// studyLeastSquares: fac and c are a straight line for each mu, so only mu is
// searched, on a fine grid that closes in three times.
func studyLeastSquares(x, y []float64) StudyFit {
	highest := x[len(x)-1]
	best := StudyFit{MSE: math.Inf(1)}
	low, high := math.Log(1e-6), math.Log(100.0)
	for range 3 {
		const steps = 400
		width, at := (high-low)/steps, 0.0
		for i := range steps + 1 {
			z := low + float64(i)*width
			s := straight(highest*(1+math.Exp(z)), x, y)
			if s.MSE < best.MSE {
				best, at = s, z
			}
		}
		if at != 0 {
			low, high = at-2*width, at+2*width
		}
	}
	return best
}

// straight fits fac and c for one mu by linear regression.
func straight(mu float64, x, y []float64) StudyFit {
	z := make([]float64, len(x))
	for i := range x {
		z[i] = 1 / (mu - x[i])
	}
	mx, my := average(z), average(y)
	covariance, spread := 0.0, 0.0
	for i := range z {
		covariance += (z[i] - mx) * (y[i] - my)
		spread += (z[i] - mx) * (z[i] - mx)
	}
	s := StudyFit{MuPPS: mu, Fac: covariance / spread}
	s.DelayNS = my - s.Fac*mx
	s.MSE = s.squareError(x, y)
	return s
}

// errors fills how far it is from what was measured.
func (s *StudyFit) errors(loads []load) {
	s.MeanErrorRatio = s.errorOf(loads, Mean, s.MeanNS)
	s.P95ErrorRatio = s.errorOf(loads, P95, func(pps float64) float64 { return s.QuantileNS(pps, 0.95) })
	s.P99ErrorRatio = s.errorOf(loads, P99, func(pps float64) float64 { return s.QuantileNS(pps, 0.99) })
}

func (s *StudyFit) errorOf(loads []load, name string, predict func(pps float64) float64) float64 {
	sum, n := 0.0, 0.0
	for _, l := range loads {
		if ns, ok := l.latency(name); ok {
			sum += math.Abs(predict(l.pps)/ns - 1)
			n++
		}
	}
	return sum / max(n, 1)
}

// Target is what an operator wants to keep.
type Target struct {
	// LatencyNS is the most that a share Quantile of the packets, 0..1 (0.99 for
	// p99; 0 is taken as 0.99), may take, ns; 0 is no bound.
	LatencyNS, Quantile float64
	// LossRatio is the highest loss, 0..1; 0 is no bound.
	LossRatio float64
}

// SafeLoad is the highest load that keeps a target, and its 95 % interval.
type SafeLoad struct {
	PPS, LowPPS, HighPPS float64
	// CPUCores at LowPPS, interpolated; 0 where it was not measured.
	CPUCores float64
	// AtLeast is set when the target is kept at every load measured, by the whole interval:
	// LowPPS is the highest of them then.
	AtLeast bool
}

// Safe finds the safe load of the chosen model. With load of others on the same
// server, the safe load is that of all together. Errors: ErrNoModel, ErrTarget,
// ErrTargetTooHard.
func (r Result) Safe(t Target) (SafeLoad, error) {
	best, err := r.Best()
	if err != nil {
		return SafeLoad{}, fmt.Errorf("%w, so there is no safe load; see why each was rejected", err)
	}
	if t, err = t.checked(); err != nil {
		return SafeLoad{}, err
	}
	pps := best.problem.safe(best.best.x, t, r.highest)
	if pps == 0 {
		return SafeLoad{}, fmt.Errorf("%w by %s; ask for a longer latency or a higher loss", ErrTargetTooHard, best.Name)
	}
	s := SafeLoad{PPS: pps}
	var all []float64
	for _, x := range best.draws {
		all = append(all, best.problem.safe(x, t, r.highest))
	}
	s.LowPPS, s.HighPPS = interval(all)
	s.LowPPS, s.HighPPS = min(s.LowPPS, pps), max(s.HighPPS, pps)
	// Where draws reach far above, what was measured may come from as far below.
	s.LowPPS = max(0, min(s.LowPPS, 2*pps-s.HighPPS))
	s.CPUCores, s.AtLeast = r.cpu.at(s.LowPPS), s.LowPPS >= r.highest
	return s, nil
}

func (t Target) checked() (Target, error) {
	if t.Quantile == 0 {
		t.Quantile = 0.99
	}
	ok := t.LatencyNS >= 0 && t.LossRatio >= 0 && t.LossRatio < 1 && t.Quantile > 0 && t.Quantile < 1
	if !ok || math.IsInf(t.LatencyNS, 0) || t.LatencyNS == 0 && t.LossRatio == 0 {
		return t, fmt.Errorf("%w: latency %v ns at %v, loss %v; give a latency over 0, a loss from 0 to 1, or both",
			ErrTarget, t.LatencyNS, t.Quantile, t.LossRatio)
	}
	return t, nil
}

// kept reports whether a model keeps a target at a load. A latency is looked up
// in the tail, which is faster than a quantile.
func (t Target) kept(s sojourn) bool {
	if t.LossRatio > 0 && s.loss > t.LossRatio {
		return false
	}
	if t.LatencyNS == 0 {
		return s.stable
	}
	room := t.LatencyNS*1e-9 - s.delay
	return s.stable && room > 0 && s.tail(room) <= 1-t.Quantile
}

// safe is the highest load, up to the highest measured, that keeps a target; 0
// is none. Latency may fall before it rises, so it looks from above.
func (p problem) safe(x []float64, t Target, highest float64) float64 {
	const steps = 64
	kept := func(pps float64) bool { return t.kept(p.sojourn(x, pps)) }
	low, high := 0.0, highest
	for n := steps; n >= 1; n-- {
		if pps := highest * float64(n) / steps; kept(pps) {
			low = pps
			break
		}
		high = highest * float64(n) / steps
	}
	if low == highest {
		return highest
	}
	for range 24 {
		if middle := (low + high) / 2; kept(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// knee of the chosen model, to 1 % of the highest load.
func (r Result) knee() float64 {
	best, err := r.Best()
	if err != nil {
		return 0
	}
	const steps = 128
	most, at := 0.0, 0.0
	for n := 1; n <= steps; n++ {
		pps := r.highest * float64(n) / steps
		s := best.problem.sojourn(best.best.x, pps)
		if power := pps * (1 - s.loss) / (s.mean() + s.delay); s.stable && power > most {
			most, at = power, pps
		}
	}
	return at
}
