package render_test

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// searchedMore is the searched sample with throughput, loss curves and bursts, of
// which one found nothing.
func searchedMore(t testing.TB) *record.Result {
	r := searched(t)
	for i := range r.DUTs {
		d := &r.DUTs[i]
		d.Searches = append(d.Searches, throughputOf(d), curveOf(d))
		if !d.Reference {
			d.Searches = append(d.Searches, burstsOf(i == 0))
		}
	}
	return r
}

func other(method record.Method) record.Search {
	return record.Search{
		Method: method, Preset: "quick", Direction: "uplink", Repeat: 1, Sessions: 1,
		PacketSize: record.PacketSize{FrameBytes: 1486}, MinPPS: 1e4, MaxPPS: 2e6, DurationS: 30,
		Judgement: record.Judgement{LimitedBy: "dut", Valid: true, Reasons: []string{}},
		Trials:    make([]record.SearchTrial, 12),
	}
}

func throughputOf(d *record.DUT) record.Search {
	s := other("binary")
	s.ThroughputPPS = d.Searches[0].NDRPPS * 0.99
	s.Missing = []string{"goal throughput: final trials of 2s, not 1m0s"}
	s.Goals = []record.SearchGoal{{
		Name: "throughput", LowerPPS: s.ThroughputPPS, UpperPPS: s.ThroughputPPS * 1.001,
		ConditionalPPS: s.ThroughputPPS,
		Judgement: record.Judgement{
			LimitedBy: "dut", Valid: true,
			Reasons:     []string{"2 Mpps lost packets only while the generator stalled"},
			ReasonCodes: []string{"disturbed"},
		},
		Regular: true,
	}}
	return s
}

func curveOf(d *record.DUT) record.Search {
	s := other("loss_curve")
	s.Missing = []string{"trials of 1s, not 1m0s (RFC 2544 clause 24)"}
	s.Curve = []record.CurvePoint{{Ratio: 1, PPS: 2e6, LossRatio: 0.25, LimitedBy: "generator", Bench: true},
		{Ratio: 0.9, PPS: 1.8e6, LossRatio: 0.125, LimitedBy: "dut"}, {Ratio: 0.8, PPS: 1.6e6, LimitedBy: "none"},
		{Ratio: 0.7, PPS: 1.4e6, LimitedBy: "none"}}
	return s
}

func burstsOf(valid bool) record.Search {
	s := other("back_to_back")
	s.Bursts = &record.Bursts{Longest: []uint64{300, 302, 301}, Average: 301, StdDev: 1, Min: 300, Max: 302,
		SentPPS: 2.5e6, ThroughputPPS: 1.2e6,
		ImpliedS: 120.4e-6, CorrectedS: 62.6e-6, BufferPackets: 156.52}
	if !valid {
		s.Valid, s.Bursts = false, &record.Bursts{}
		s.Reasons, s.ReasonCodes = []string{"a burst of 50000 packets is carried whole"}, []string{"no_upper_bound"}
	}
	return s
}
