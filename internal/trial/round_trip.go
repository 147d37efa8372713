package trial

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// roundTrip is that of the packets of a trial that were sent back; nil: none was.
func (m *measured) roundTrip() *record.RoundTrip {
	var r traffic.RoundTrips
	for i := range m.outcome.Flows {
		r.Merge(&m.outcome.Flows[i].RoundTrips)
	}
	if r.Turned == 0 {
		return nil
	}
	return &record.RoundTrip{
		First: m.spec.Direction.Each()[0], Latency: latency(&r.Returns, nil), SentBack: r.Turned, Lost: r.Turned - min(r.Turned, r.Returns.Count),
		StayNS: float64(r.StayNS) / float64(r.Turned),
	}
}

// roundTripWords say what is given in the place of one-way delays.
func roundTripWords(r *record.RoundTrip) string {
	switch {
	case r == nil:
		return "no packet was sent back for a round trip"
	case r.Latency == nil:
		return fmt.Sprintf("of a round trip %d packets were sent back, and none came: has the UPF sessions in both directions?", r.SentBack)
	}
	return fmt.Sprintf("the round trip, by one clock, is %.3g us in the median", float64(r.Latency.P50)/1e3)
}
