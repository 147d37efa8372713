package figure

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// ofSearches are the figures that searches find.
func ofSearches() []Figure {
	return []Figure{
		{Name: "ndr_pps", Unit: PPS, Doc: "non-drop rate", Bench: true, search: func(s *record.Search) float64 { return positive(s.NDRPPS) }},
		{Name: "pdr_pps", Unit: PPS, Doc: "partial drop rate", Bench: true, search: func(s *record.Search) float64 { return positive(s.PDRPPS) }},
		{Name: "throughput_pps", Unit: PPS, Doc: "throughput as RFC 2544 defines it", Bench: true,
			search: func(s *record.Search) float64 { return positive(s.ThroughputPPS) }},
		{Name: "back_to_back_packets", Unit: Count, Doc: "longest burst without loss (RFC 9004)", Bench: true,
			search: func(s *record.Search) float64 {
				if s.Bursts == nil {
					return none()
				}
				return positive(s.Bursts.Average)
			}},
	}
}

// ofFlows are the figures of applications at the UEs.
func ofFlows() []Figure {
	return []Figure{
		{Name: "flow.goodput_bps", Unit: BPS, Doc: "payload that arrived", Bench: true,
			flow: func(f *record.AppFlow) float64 { return positive(f.GoodputBPS) }},
		{Name: "flow.loss_ratio", Unit: Ratio, Doc: "lost / sent, of datagrams, pings or pages", Bench: true,
			flow: func(f *record.AppFlow) float64 {
				if f.Packets == 0 {
					return none()
				}
				return f.LossRatio
			}},
		{Name: "flow.jitter", Unit: Nanos, Doc: "jitter of datagrams or pings", Bench: true,
			flow: func(f *record.AppFlow) float64 { return positive(f.JitterNS) }},
		{Name: "flow.rtt.p50", Unit: Nanos, Doc: "round-trip time, or time of a page", Bench: true,
			flow: func(f *record.AppFlow) float64 { return timeOf(f, func(t *record.AppTime) uint64 { return t.P50 }) }},
		{Name: "flow.rtt.p99", Unit: Nanos, Doc: "round-trip time, or time of a page", Bench: true,
			flow: func(f *record.AppFlow) float64 { return timeOf(f, func(t *record.AppTime) uint64 { return t.P99 }) }},
		{Name: "flow.frames_in_time", Unit: Ratio, Doc: "frames of voice or XR that were whole within their delay budget, of those sent; the worse direction", Bench: true,
			flow: func(f *record.AppFlow) float64 {
				return worst(f, record.Frames.InTimeRatio, func(a, b float64) float64 { return min(a, b) })
			}},
		{Name: "flow.frame_delay.p99", Unit: Nanos, Doc: "from a frame's first packet sent to its last arrived, of voice or XR; the worse direction", Bench: true,
			flow: func(f *record.AppFlow) float64 {
				return worst(f, func(one record.Frames) float64 {
					if one.Delay == nil {
						return none()
					}
					return float64(one.Delay.P99)
				}, func(a, b float64) float64 { return max(a, b) })
			}},
		{Name: "flow.fairness", Unit: Ratio, Doc: "Jain's index of the UEs' goodputs",
			flow: func(f *record.AppFlow) float64 { return positive(f.Fairness) }},
		{Name: "flow.dut_cores", Unit: Cores, Doc: "CPU of the UPF", flow: func(f *record.AppFlow) float64 { return f.CPU.DUT }},
	}
}

// worst folds a figure of the frames of both directions; NaN: there are none.
func worst(f *record.AppFlow, of func(record.Frames) float64, worse func(a, b float64) float64) float64 {
	if len(f.Frames) == 0 {
		return none()
	}
	v := of(f.Frames[0])
	for _, one := range f.Frames[1:] {
		v = worse(v, of(one))
	}
	return v
}

func timeOf(f *record.AppFlow, of func(*record.AppTime) uint64) float64 {
	if f.RTT == nil || f.RTT.Count == 0 {
		return none()
	}
	return float64(of(f.RTT))
}

// ofDUTs are the figures of a DUT as a whole.
func ofDUTs() []Figure {
	return []Figure{
		{Name: "setup.start", Unit: Seconds, Doc: "from the start of the UPF to its first PFCP answer",
			dut: func(d *record.DUT) float64 { return positive(d.Setup.StartSeconds) }},
		{Name: "setup.sessions_per_s", Unit: Rate, Doc: "sessions established in a second",
			dut: func(d *record.DUT) float64 { return positive(d.Setup.SessionsPerS) }},
		{Name: "setup.idle_cores", Unit: Cores, Doc: "CPU of the UPF before the first trial, sessions up, without traffic",
			dut: func(d *record.DUT) float64 {
				if d.Setup.IdleCores == nil {
					return none()
				}
				return *d.Setup.IdleCores
			}},
		{Name: "n4_findings", Unit: Count, Doc: "kinds of faults of the UPF in PFCP", AnySpeed: true,
			dut: func(d *record.DUT) float64 { return float64(len(d.N4Findings)) }},
		{Name: "behaviour.findings", Unit: Count, Doc: "behaviour cases with a finding", AnySpeed: true, dut: findings},
		{Name: "resilience.problems", Unit: Count, Doc: "incidents that the UPF, or its sessions, did not survive", AnySpeed: true, dut: problems},
		{Name: "resilience.outage", Unit: Seconds, Doc: "longest time in which a UE's packets were lost in an incident, of either direction",
			dut: overIncidents(func(most float64, i *record.Interruption) float64 { return max(most, i.OutageS) }), dutAtLeast: notWhole},
		{Name: "resilience.lost", Unit: Count, Doc: "packets that were lost in all incidents, in both directions",
			dut: overIncidents(func(sum float64, i *record.Interruption) float64 { return sum + float64(i.Lost) }), dutAtLeast: notWhole},
	}
}

func problems(d *record.DUT) float64 {
	n, tried := 0.0, false
	for _, x := range d.Incidents {
		if x.NotApplicable == "" {
			tried = true
		}
		if x.Problem != "" {
			n++
		}
	}
	if !tried {
		return none()
	}
	return n
}

// notWhole is why what users lost in incidents is a lower bound: one of them did not happen as it should have, or the
// UPF ended in it, and what users lost until it is back is not seen.
func notWhole(d *record.DUT) string {
	for _, x := range d.Incidents {
		if x.Problem != "" {
			return "it is at least that: " + x.ID + " could not be carried out whole"
		}
	}
	return ""
}

// overIncidents folds what users lost, in both directions of all incidents.
func overIncidents(add func(sum float64, i *record.Interruption) float64) func(*record.DUT) float64 {
	return func(d *record.DUT) float64 {
		sum, known := 0.0, false
		for _, x := range d.Incidents {
			for _, i := range []*record.Interruption{x.Uplink, x.Downlink} {
				if i != nil {
					sum, known = add(sum, i), true
				}
			}
		}
		if !known {
			return none()
		}
		return sum
	}
}

func findings(d *record.DUT) float64 {
	if len(d.Cases) == 0 {
		return none()
	}
	bad := slices.DeleteFunc(slices.Clone(d.Cases), func(c record.Case) bool { return !c.Verdict.Bad() })
	return float64(len(bad))
}
