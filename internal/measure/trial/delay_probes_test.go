package trial

import (
	"testing"

	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// What was due in windows that are excluded is no delay of the UPF's, nor is what went the
// other way.
func TestDelaysOfATrial(t *testing.T) {
	m := measured{spec: Spec{Direction: record.Uplink}}
	m.outcome.Excluded.Spans = []traffic.Span{{First: 100, Last: 200}, {First: 300, Last: 400}}
	for _, p := range []delayprobe.Passage{{Due: 99, Took: 1000}, {Due: 100, Took: 7}, {Due: 200, Took: 2000},
		{Due: 399, Took: 9}, {Due: 400, Took: 3000},
		{Due: 500, Took: 1, Direction: record.Downlink}} {
		if p.Direction == "" {
			p.Direction = record.Uplink
		}
		m.Passages = append(m.Passages, p)
	}
	var got record.Trial
	m.fillDelays(&got)
	if l := got.AtDUT; l == nil || l.Count != 3 || l.Mean != 2000 || l.Min != 1000 || l.Max != 3000 {
		t.Errorf("%+v", l)
	}
}

func TestDelaysOfBothDirectionsAreInFlows(t *testing.T) {
	m := measured{spec: Spec{Direction: record.Both},
		Readings: meters.Readings{Passages: []delayprobe.Passage{{Took: 500, Direction: record.Downlink}}}}
	got := record.Trial{Flows: []record.Flow{{Direction: record.Uplink}, {Direction: record.Downlink}}}
	m.fillDelays(&got)
	if got.AtDUT != nil || got.Flows[0].AtDUT != nil || got.Flows[1].AtDUT == nil || got.Flows[1].AtDUT.Count != 1 {
		t.Errorf("%+v", got.Flows)
	}
}
