package trial

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// cut makes a soak that was ended early one of the length that it had.
func (m *measured) cut() {
	m.spec.Duration = time.Duration(m.outcome.SendSeconds * float64(time.Second))
	due := m.schedule.Slots(m.spec.Duration)
	m.outcome.Intended = min(m.outcome.Intended, max(due, m.outcome.Sent))
	m.wantedS = m.schedule.Lasts(m.spec.Duration).Seconds()
}

// judgeSoak holds a soak against its budget and looks for drift.
func (m *measured) judgeSoak(t *record.Trial, s scenario.Soak, step time.Duration) {
	k := *m.spec.Soak
	k.Kept = t.TxPackets > 0 && t.FrameLossRatio <= k.LossBudget
	k.StepS = step.Seconds()
	k.Drifts = drifts(t.Series, s)
	t.Soak = &k
	if m.stopped {
		t.Reasons = append(t.Reasons, fmt.Sprintf("interrupted after %.4g s of %.4g s", t.DurationS, k.PlannedS))
	}
}

// drifts tests what should stay the same. The first tenth is left out: caches fill
// and heaps grow there, once.
func drifts(series []record.Point, s scenario.Soak) []record.Drift {
	series = series[len(series)/10:]
	quantities := []struct {
		name, unit string
		tolerance  float64
		of         func(record.Point) float64
	}{
		{"latency p50", "ns", s.Drift, func(p record.Point) float64 { return float64(p.P50) }},
		{"latency p99", "ns", s.Drift, func(p record.Point) float64 { return float64(p.P99) }},
		{"CPU", "cores", s.Drift, func(p record.Point) float64 { return p.DUTCores }},
		{"memory", "bytes", s.MemoryGrowth, func(p record.Point) float64 { return float64(p.MemoryBytes) }},
	}
	var list []record.Drift
	for _, q := range quantities {
		var x, y []float64
		for _, p := range series {
			if v := q.of(p); v > 0 { // 0: nothing arrived, or it was not read
				x, y = append(x, p.T), append(y, v)
			}
		}
		list = append(list, drift(q.name, q.unit, q.tolerance, stats.DriftOf(x, y, q.tolerance)))
	}
	return list
}

func drift(name, unit string, tolerance float64, d stats.Drift) record.Drift {
	const hour = 3600
	return record.Drift{Quantity: name, Unit: unit, Points: d.Points, Median: d.Median, Tolerance: tolerance,
		PerHour: d.Slope * hour, LowPerHr: d.Low * hour, HighPerHr: d.High * hour, Change: d.Change, P: d.P, Verdict: d.Verdict}
}
