package traffic

import "testing"

// TestStampsMerge: of two sinks, whose clock is known less exactly counts.
func TestStampsMerge(t *testing.T) {
	a := FlowOutcome{Stamps: Stamps{With: 1, Without: 2, AheadNS: 7, ErrorNS: 50}}
	a.Stamps.Latency.Add(1000)
	b := FlowOutcome{Stamps: Stamps{With: 1, Early: 3, AheadNS: 9, ErrorNS: 80}}
	b.Stamps.Latency.Add(3000)
	a.Merge(&b)
	if s := a.Stamps; s.With != 2 || s.Without != 2 || s.Early != 3 || s.AheadNS != 7 || s.ErrorNS != 80 ||
		s.Latency.Count != 2 || s.Latency.Max != 3000 {
		t.Errorf("%d with, %d without, %d early, %d ahead within %d, %d latencies up to %d", s.With, s.Without,
			s.Early, s.AheadNS, s.ErrorNS, s.Latency.Count, s.Latency.Max)
	}
}
