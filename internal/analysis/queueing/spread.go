package queueing

import (
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// spread is how far repeats of one load lie apart, against what is expected,
// pooled over all loads: with a few repeats at each, one load's own scatter is
// too uncertain to weigh by.
type spread struct {
	least  map[string]float64 // lowest value of each quantity
	pooled map[string]float64 // variance of one repeat, over that expected
}

// poolWeight is how many degrees of freedom the pooled variance counts as
// against that of one load (shrinkage as in Smyth, Stat. Appl. in Genetics 3,
// 2004).
const poolWeight = 8

func newSpread(rates []float64, by map[float64][]Point) spread {
	s := spread{least: map[string]float64{}, pooled: map[string]float64{}}
	for _, name := range []string{Mean, P50, P95, P99, Loss} {
		s.least[name] = math.Inf(1)
		for _, pps := range rates {
			for _, v := range series(by[pps], name) {
				s.least[name] = min(s.least[name], v)
			}
		}
		s.pool(name, rates, by)
	}
	return s
}

// pool sums the scatter of all loads that have repeats.
func (s spread) pool(name string, rates []float64, by map[float64][]Point) {
	sum, free := 0.0, 0.0
	for _, pps := range rates {
		if v := series(by[pps], name); len(v) > 1 {
			expected := s.expected(name, by[pps])
			free += float64(len(v) - 1)
			sum += float64(len(v)-1) * variance(v) / (expected * expected)
		}
	}
	if free > 0 {
		s.pooled[name] = max(sum/free, 0.01)
	}
}

// load builds one load from its repeats.
func (s spread) load(pps float64, repeats []Point) load {
	l := load{pps: pps, loss: centre(series(repeats, Loss))}
	for _, name := range fitted(repeats) {
		if v := series(repeats, name); len(v) > 0 {
			l.observables = append(l.observables, observable{name, centre(v), s.sigma(name, repeats)})
		}
	}
	return l
}

// fitted lists what is compared: the median only where nothing else is known.
func fitted(repeats []Point) []string {
	for _, p := range repeats {
		if p.MeanNS > 0 || p.P95NS > 0 || p.P99NS > 0 {
			return []string{Mean, P95, P99, Loss}
		}
	}
	return []string{P50, Loss}
}

// centre is the mean of two repeats, and the median of more: what disturbs one of them, and
// nobody saw, does not move it.
func centre(values []float64) float64 {
	if len(values) < 3 {
		return average(values)
	}
	return stats.Median(values)
}

// medianError is how much less certain a median is than a mean.
const medianError = 1.2533

// sigma is the standard error of the centre of the repeats.
func (s spread) sigma(name string, repeats []Point) float64 {
	v := series(repeats, name)
	n := float64(len(v))
	square := math.Pow(s.expected(name, repeats), 2)
	if ratio, ok := s.pooled[name]; ok {
		square = (poolWeight*ratio*square + (n-1)*variance(v)) / (poolWeight + n - 1)
	}
	if n > 2 {
		square *= medianError * medianError
	}
	return math.Sqrt(square / n)
}

// expected is the scatter of one repeat where nothing else is known.
func (s spread) expected(name string, repeats []Point) float64 {
	loss, packets := average(series(repeats, Loss)), packetsOf(repeats)
	if name == Loss {
		return expectedLoss(loss, packets)
	}
	return expectedLatency(math.Exp(average(series(repeats, name))-s.least[name]), loss, packets)
}

// What every repeat differs by, as a ratio: its latency and its speed, which near saturation changes the latency by as
// many times as that is above the lowest. And what no loss ratio is known better than.
const (
	latencyScatter = 0.01
	speedScatter   = 0.01
	lossScatter    = 0.05
	lossFloor      = 5e-4
)

// expectedLatency is the relative scatter of a latency that is so many times the
// lowest one. Near saturation a queue forgets slowly, so that many packets count
// as few: of n packets the mean has a relative variance of about
// 4/((1-load)² n) (Whitt, Management Science 35, 1989), and 1-load is about the
// lowest latency over this one. In overload the queue stays full instead.
func expectedLatency(times, loss, packets float64) float64 {
	square := times * times * (4/packets + speedScatter*speedScatter)
	if loss > 0 {
		over := (1 - loss) / loss // 1/(load-1)
		square = min(square, 8*math.Pow(over, 4)/(times*times*packets))
	}
	return math.Sqrt(square + latencyScatter*latencyScatter)
}

// expectedLoss is the scatter of a loss ratio: losses come in bursts of some
// twenty, and in overload they are what arrived less what was served, each of
// which scatters as its count.
func expectedLoss(ratio, packets float64) float64 {
	counting := min(20*ratio, 2) / packets
	return math.Sqrt(counting + lossFloor*lossFloor + lossScatter*lossScatter*ratio*ratio)
}

// packetsOf is how many packets one repeat offered.
func packetsOf(repeats []Point) float64 {
	const unknown = 1e5
	sum := 0.0
	for _, p := range repeats {
		sum += float64(p.Packets)
	}
	if sum == 0 {
		return unknown
	}
	return sum / float64(len(repeats))
}

// series gives the values of a quantity on the scale of the fit.
func series(repeats []Point, name string) []float64 {
	var all []float64
	for _, p := range repeats {
		if v, ok := p.value(name); ok {
			all = append(all, v)
		}
	}
	return all
}

// value is a quantity on the scale of the fit; false is not measured.
func (p Point) value(name string) (float64, bool) {
	ns := 0.0
	switch name {
	case Loss:
		return p.LossRatio, true
	case Mean:
		ns = p.MeanNS
	case P50:
		ns = p.P50NS
	case P95:
		ns = p.P95NS
	case P99:
		ns = p.P99NS
	}
	return math.Log(ns), ns > 0
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func variance(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := average(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return sum / float64(len(values)-1)
}

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
