package queueing

import "math"

// Parameter of a fitted model. Low and High bound its 95 % interval; both are 0
// for a rejected model.
type Parameter struct {
	Name             string
	Unit             string // pps, packets, ns, servers, or "" for a ratio
	Value, Low, High float64
}

// Residual is one comparison of a fit. Measured and Predicted are ns, or loss
// ratios; Weighted is their difference in standard errors, predicted less
// measured, of latencies on a logarithmic scale.
type Residual struct {
	LoadPPS             float64
	Observable          string
	Measured, Predicted float64
	Weighted            float64
}

// Fitted is one model after the fit.
type Fitted struct {
	Name     string
	Rejected Reason // empty: it is accepted
	// MuPPS is the highest rate that the DUT serves, pps; QueuePackets its room
	// with the packets in service, 0 for models without limit.
	MuPPS        float64
	QueuePackets float64
	Parameters   []Parameter
	// AICc is comparable between models of one fit; lower is better.
	AICc float64
	// ErrorRatio is the root mean square of predicted/measured - 1 over all
	// latencies. P99ErrorRatio is the mean of |predicted/measured - 1| of the p99
	// at loads that were left out in turn (p95, p50 or the mean where there is no
	// p99); 0 for a misfit, but of the best one and of M/M/1, which others are compared with.
	ErrorRatio, P99ErrorRatio float64
	// StructureP is the probability of residuals that follow the load as much as
	// these if they were in random order.
	StructureP float64
	Residuals  []Residual

	problem problem
	best    place
	draws   [][]float64 // places of the bootstrap
}

// Prediction is what a model says of one load. Beyond the limit of an unlimited
// queue Stable is false and latencies are +Inf.
type Prediction struct {
	LoadPPS                             float64
	MeanNS, P50NS, P95NS, P99NS, P999NS float64
	LossRatio                           float64
	Stable                              bool
}

// tried reports whether there is a fit to predict from.
func (f Fitted) tried() bool { return f.best.r != nil }

// Predict gives latency and loss at a load, pps, over 0. A model that was not
// tried (ReasonNoLoss ...) predicts the zero Prediction.
func (f Fitted) Predict(loadPPS float64) Prediction {
	if !f.tried() || !(loadPPS > 0) {
		return Prediction{}
	}
	return f.problem.predict(f.best.x, loadPPS)
}

// QuantileNS gives the latency that a share p of the packets, 0..1, does not
// exceed, ns.
func (f Fitted) QuantileNS(loadPPS, p float64) float64 {
	if !f.tried() || !(loadPPS > 0) {
		return 0
	}
	return f.problem.sojourn(f.best.x, loadPPS).quantile(p)
}

// sojourn is a model at one load, with its delay.
type sojourn struct {
	law
	delay, loss float64
	stable      bool
}

func (p problem) sojourn(x []float64, pps float64) sojourn {
	v, delay := p.outside(x)
	l, loss, stable := p.at(pps, v)
	return sojourn{l, delay, loss, stable}
}

func (s sojourn) quantile(p float64) float64 {
	if !s.stable {
		return math.Inf(1)
	}
	return (quantile(s.law, p) + s.delay) * 1e9
}

func (p problem) predict(x []float64, pps float64) Prediction {
	s := p.sojourn(x, pps)
	mean := math.Inf(1)
	if s.stable {
		mean = (s.mean() + s.delay) * 1e9
	}
	return Prediction{
		LoadPPS: pps, LossRatio: s.loss, Stable: s.stable, MeanNS: mean,
		P50NS: s.quantile(0.5), P95NS: s.quantile(0.95), P99NS: s.quantile(0.99), P999NS: s.quantile(0.999),
	}
}
