package trial

import (
	"iter"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// passed are the sampled packets of a direction in the windows that count.
func (m *measured) passed(d record.Direction) iter.Seq[delayprobe.Passage] {
	return func(yield func(delayprobe.Passage) bool) {
		for _, p := range m.Passages {
			if p.Direction == d && !m.outcome.Excluded.Holds(p.Due) && !yield(p) {
				return
			}
		}
	}
}

// atDUT are the delays at the DUT in a direction.
func (m *measured) atDUT(d record.Direction) *record.Latency {
	var h traffic.Histogram
	for p := range m.passed(d) {
		h.Add(uint64(p.Took))
	}
	return latency(&h, nil)
}

// fillDelays writes the delays at the DUT into a trial: of both directions into its flows.
func (m *measured) fillDelays(t *record.Trial) {
	if len(m.Passages) == 0 {
		return
	}
	if m.spec.Direction != record.Both {
		t.AtDUT = m.atDUT(m.spec.Direction)
		return
	}
	for i := range t.Flows {
		t.Flows[i].AtDUT = m.atDUT(t.Flows[i].Direction)
	}
}
