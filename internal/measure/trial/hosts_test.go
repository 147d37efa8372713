package trial

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// TestRoundTrip: one sink sends back, the other sees packets come.
func TestRoundTrip(t *testing.T) {
	m := &measured{spec: Spec{Direction: record.Both}}
	m.outcome.Reset(2)
	if r := m.roundTrip(); r != nil {
		t.Errorf("without packets that went back: %+v", r)
	}
	m.outcome.Flows[0].RoundTrips = traffic.RoundTrips{Turned: 4, StayNS: 2000}
	if r := m.roundTrip(); r == nil || r.Latency != nil || r.Lost != 4 {
		t.Errorf("none came back: %+v", r)
	}
	for _, v := range []uint64{10_000, 12_000, 30_000} {
		m.outcome.Flows[1].RoundTrips.Returns.Add(v)
	}
	r := m.roundTrip()
	if r.First != record.Uplink || r.SentBack != 4 || r.Lost != 1 || r.StayNS != 500 || r.Latency.Count != 3 ||
		r.Latency.Min != 10_000 || r.Latency.Max != 30_000 {
		t.Errorf("%+v, %+v", r, r.Latency)
	}
}
