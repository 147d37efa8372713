package trial

import (
	"errors"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/hosts"
)

// lostHost is the host that was lost, where that is why a trial failed.
func lostHost(err error) *hosts.LostError {
	var lost *hosts.LostError
	errors.As(err, &lost)
	return lost
}

// abandoned is a trial in which a host was lost: nothing was counted.
func abandoned(t record.Trial, lost *hosts.LostError) record.Trial {
	t.DurationS, t.LimitedBy, t.Valid = 0, record.LimitHost, false
	t.Reasons, t.Faults = []string{lost.Error()}, []record.Fault{record.FaultHost}
	t.ReasonCodes = []string{string(record.FaultHost)}
	return t
}

// several is what hosts did in a trial; nil: this one is alone.
type several struct {
	Shares       []record.HostShare `json:"shares"`
	ClockErrorNS uint64             `json:"clock_error_ns"` // the worst
}

// several is what each host did.
func (dp *Deployment) several(o *traffic.Outcome) *several {
	shares := dp.engine.Shares(o)
	if shares == nil {
		return nil
	}
	x := &several{ClockErrorNS: dp.Hosts.ClockErrorNS()}
	for _, s := range shares {
		x.Shares = append(x.Shares, record.HostShare{
			Testbed: s.Host.Testbed, TxPackets: s.Sent, RxPackets: s.Received, GeneratorCores: s.Busy, StartNS: s.StartNS,
			ClockErrorNS: s.Host.Offset().ErrorNS,
		})
	}
	return x
}

// fillHosts writes down what each host did, and how far their clocks can be trusted.
func (m *measured) fillHosts(t *record.Trial) {
	if m.several == nil {
		return
	}
	t.Hosts, t.RoundTrip = m.several.Shares, m.roundTrip()
	t.ClockErrorNS, t.StartSkewNS = m.several.ClockErrorNS, startSkew(t.Hosts)
	if untrusted(t) {
		t.Reasons = append(t.Reasons,
			fmt.Sprintf("no one-way delay is given: the hosts' clocks agree to %.3g us only, and a tenth of the "+
				"median is %.3g us; %s",
				float64(t.ClockErrorNS)/1e3, float64(t.Latency.P50)/1e4, roundTripWords(t.RoundTrip)))
		t.Latency, t.Actual, t.PDV, t.IPDV, t.JitterNS = nil, nil, nil, nil, 0
		for i := range t.Series {
			t.Series[i].P50, t.Series[i].P99 = 0, 0
		}
		for i := range t.Flows {
			f := &t.Flows[i]
			f.Latency, f.PDV, f.IPDV, f.JitterNS = nil, nil, nil, 0
		}
	}
}

// startSkew is by how much hosts that send differ in how late their first packet was, ns.
func startSkew(list []record.HostShare) uint64 {
	var late []uint64
	for _, h := range list {
		if h.TxPackets > 0 {
			late = append(late, h.StartNS)
		}
	}
	if len(late) < 2 {
		return 0
	}
	return slices.Max(late) - slices.Min(late)
}

// untrusted reports whether clocks may be wrong by more than a tenth of the median delay.
func untrusted(t *record.Trial) bool {
	return t.Latency != nil && t.ClockErrorNS > t.Latency.P50/10
}

// NoteHosts writes down who takes part, as which gNB.
func NoteHosts(r *record.Result, s *scenario.Scenario, h *hosts.Session) {
	if h == nil {
		if gnbs := s.GNBs(); len(gnbs) > 1 {
			for _, gnb := range gnbs {
				r.GNBs = append(r.GNBs, gnb.String())
			}
		}
		return
	}
	for i, g := range h.Generators {
		m := member(g, "generator")
		m.GNB = s.GNBs()[i].String()
		r.Hosts = append(r.Hosts, m)
	}
	r.Hosts = append(r.Hosts, member(h.Sink, "sink"))
}

func member(h *hosts.Host, role string) record.Member {
	f := h.Facts
	o := h.Offset()
	return record.Member{Testbed: h.Testbed, Role: role, Host: f.Host, Kernel: f.Kernel, Device: h.Device, CPUs: f.CPUs,
		Clock: record.MemberClock{Same: o.Same, OffsetNS: o.By, ErrorNS: o.ErrorNS,
			Synchronised: f.Clock.Synchronised, KernelErrorNS: f.Clock.ErrorNS, PTP: f.PTP}}
}

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
