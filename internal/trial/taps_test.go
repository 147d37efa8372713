package trial

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// What came between two readings of the taps is the trial's: its mean is exact, its
// extremes are those of the buckets.
func TestDelaysOfATrial(t *testing.T) {
	var before traffic.Histogram
	before.Add(10)
	after := before
	for _, ns := range []uint64{1000, 2000, 3000} {
		after.Add(ns)
	}
	now := tapped{record.Uplink: &after}
	m := measured{spec: Spec{Direction: record.Uplink}, readings: readings{atDUT: now.since(tapped{record.Uplink: &before})}}
	var got record.Trial
	m.fillTaps(&got)
	l := got.AtDUT
	if l == nil || l.Count != 3 || l.Mean != 2000 || l.Min > 1000 || l.Min < 990 || l.Max < 3000 || l.Max > 3024 || l.P50 < 2000 || l.P50 > 2016 {
		t.Errorf("%+v", l)
	}
}

func TestDelaysOfBothDirectionsAreInFlows(t *testing.T) {
	var none, one traffic.Histogram
	one.Add(500)
	m := measured{spec: Spec{Direction: record.Both}, readings: readings{atDUT: tapped{record.Downlink: &one}.since(tapped{record.Downlink: &none})}}
	got := record.Trial{Flows: []record.Flow{{Direction: record.Uplink}, {Direction: record.Downlink}}}
	got.Flows[0].AtDUT = nil
	m.readings.atDUT[record.Uplink] = &none
	m.fillTaps(&got)
	if got.AtDUT != nil || got.Flows[0].AtDUT != nil || got.Flows[1].AtDUT == nil || got.Flows[1].AtDUT.Count != 1 {
		t.Errorf("%+v", got.Flows)
	}
}
