package queueing

import "math"

// bandDraws is how many places of the bootstrap a band looks at.
const bandDraws = 40

// Band is the 95 % interval of the prediction at a load, pps, from the bootstrap of
// the parameters. known is false for a model without intervals, and where a part of
// the draws cannot carry the load.
func (f Fitted) Band(loadPPS float64) (low, high Prediction, known bool) {
	draws := f.draws[:min(len(f.draws), bandDraws)]
	if len(draws) == 0 || !(loadPPS > 0) {
		return Prediction{}, Prediction{}, false
	}
	var all [4][]float64
	for _, x := range draws {
		p := f.problem.predict(x, loadPPS)
		for i, v := range []float64{p.MeanNS, p.P95NS, p.P99NS, p.LossRatio} {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				return Prediction{}, Prediction{}, false
			}
			all[i] = append(all[i], v)
		}
	}
	low, high = Prediction{LoadPPS: loadPPS, Stable: true}, Prediction{LoadPPS: loadPPS, Stable: true}
	low.MeanNS, high.MeanNS = interval(all[0])
	low.P95NS, high.P95NS = interval(all[1])
	low.P99NS, high.P99NS = interval(all[2])
	low.LossRatio, high.LossRatio = interval(all[3])
	return low, high, true
}
