package modelling

import (
	"math"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

// curvePoints is how many loads a curve has.
const curvePoints = 60

// curve is what a model predicts from the lowest load that was measured to the
// highest; loads that it cannot carry are left out.
func (f Found) curve(m queueing.Fitted) (list []record.ModelPoint) {
	low, high := f.loads()
	for i := range curvePoints {
		load := low + (high-low)*float64(i)/(curvePoints-1)
		p := m.Predict(load)
		if load <= 0 || math.IsInf(p.MeanNS, 0) || math.IsInf(p.P99NS, 0) {
			continue
		}
		point := record.ModelPoint{LoadPPS: load, Predicted: predicted(p)}
		if low, high, known := m.Band(load); known {
			below, above := predicted(low), predicted(high)
			point.Low, point.High = &below, &above
		}
		list = append(list, point)
	}
	return list
}

// loads are the lowest and the highest load that were measured, packets/s.
func (f Found) loads() (low, high float64) {
	low = math.Inf(1)
	for _, p := range f.Points {
		low, high = min(low, p.LoadPPS), max(high, p.LoadPPS)
	}
	return low, high
}

func predicted(p queueing.Prediction) record.Predicted {
	return record.Predicted{MeanNS: p.MeanNS, P95NS: p.P95NS, P99NS: p.P99NS, LossRatio: p.LossRatio}
}

func residuals(m queueing.Fitted) (list []record.ModelResidual) {
	for _, r := range m.Residuals {
		list = append(list, record.ModelResidual{LoadPPS: r.LoadPPS, Observable: r.Observable, Measured: r.Measured, Predicted: r.Predicted})
	}
	return list
}
