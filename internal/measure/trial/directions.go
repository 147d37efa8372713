package trial

import (
	"fmt"

	"github.com/upflab/upflab/internal/measure/engine"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
	"github.com/upflab/upflab/internal/traffic"
)

// ways are the directions in which a scenario sends, each once.
func ways(s *scenario.Scenario) (list []record.Direction) {
	sent := map[record.Direction]bool{}
	for _, d := range s.Directions {
		for _, way := range d.Each() {
			if !sent[way] {
				sent[way] = true
				list = append(list, way)
			}
		}
	}
	return list
}

// flow is what became of a direction's packets.
func (m *measured) flow(d record.Direction) *traffic.FlowOutcome {
	n := int(engine.FlowOf(d))
	if n >= len(m.outcome.Flows) {
		return &traffic.FlowOutcome{} // nothing was sent
	}
	return &m.outcome.Flows[n]
}

// all is the latency of a direction with the packets that do not count; nil: all do.
func (m *measured) all(d record.Direction) *record.Latency {
	x, n := &m.outcome.Excluded, int(engine.FlowOf(d))
	if n >= len(x.Latency) || x.Latency[n].Count == 0 {
		return nil
	}
	s := skipsOf(m.flow(d), m.skippedEachWay()+x.Skipped/uint64(len(m.spec.Direction.Each())))
	return s.mark(figures(s.in(m.flow(d).Latency.Plus(&x.Latency[n])).Latency()))
}

// slower is the direction whose delays are those of the trial.
func (m *measured) slower() record.Direction {
	ways := m.spec.Direction.Each()
	if len(ways) > 1 && worse(m.flow(ways[1]), m.flow(ways[0])) {
		return ways[1]
	}
	return ways[0]
}

// bound marks latencies that are no more than bounds, and says so.
func bound(t *record.Trial) (reasons []string) {
	x := t.Excluded
	t.MarkBounds()
	if t.Latency == nil || t.Latency.Count == 0 || !t.Latency.AtMost(float64(t.Latency.P99)) {
		return nil
	}
	if x.Void {
		return []string{fmt.Sprintf("disturbed nearly throughout, so that packets that waited for a disturbance are in what "+
			"counts: p99 without them is at most %s", units.Time(float64(t.Latency.P99)))}
	}
	all := t.Latency
	if t.All != nil {
		all = t.All
	}
	return []string{fmt.Sprintf("after %d of %d disturbances no CPU was idle within ten times their length, so "+
		"their backlog may be in what counts: "+
		"p99 without them is at most %s, and with all packets %s", x.Cut, x.Disturbances,
		units.Time(float64(t.Latency.P99)), units.Time(float64(all.P99)))}
}

// whole is what became of all the trial's packets: of both directions the counts
// are the sums, and delays are those of the worse one.
func (m *measured) whole() *traffic.FlowOutcome {
	ways := m.spec.Direction.Each()
	first := m.flow(ways[0])
	if len(ways) == 1 {
		return first
	}
	second := m.flow(ways[1])
	sum := *first
	if m.slower() == ways[1] {
		sum = *second
	}
	sum.Sent, sum.SentBytes = first.Sent+second.Sent, first.SentBytes+second.SentBytes
	sum.Received, sum.ReceivedBytes = first.Received+second.Received, first.ReceivedBytes+second.ReceivedBytes
	sum.Duplicates, sum.Foreign = first.Duplicates+second.Duplicates, first.Foreign+second.Foreign
	sum.Reordered, sum.Marked = first.Reordered+second.Reordered, first.Marked+second.Marked
	sum.ReceiveSeconds = max(first.ReceiveSeconds, second.ReceiveSeconds)
	sum.Wrong = addCounts(first.Wrong, second.Wrong)
	sum.LossRuns = traffic.AddRuns(first.LossRuns, second.LossRuns)
	sum.Extents = *first.Extents.Plus(&second.Extents)
	sum.ExtentUnknown = first.ExtentUnknown + second.ExtentUnknown
	return &sum
}

// worse compares the delays of two flows.
func worse(a, b *traffic.FlowOutcome) bool {
	if b.Latency.Count == 0 || a.Latency.Count == 0 {
		return b.Latency.Count == 0
	}
	return a.Latency.Quantile(0.99) > b.Latency.Quantile(0.99)
}

// addCounts adds counts of the same place; the first list's order is kept.
func addCounts(a, b []record.Count) (sum []record.Count) {
	at := map[record.Place]int{}
	for _, list := range [][]record.Count{a, b} {
		for _, c := range list {
			i, known := at[c.Place]
			if !known {
				i = len(sum)
				at[c.Place] = i
				sum = append(sum, record.Count{Place: c.Place})
			}
			sum[i].Packets += c.Packets
		}
	}
	return sum
}

// flows are the directions of a trial of both, one by one; none of any other trial.
func (m *measured) flows() (list []record.Flow) {
	if m.spec.Direction != record.Both {
		return nil
	}
	for _, d := range m.spec.Direction.Each() {
		r := flowResult(&m.outcome, m.flow(d), d, m.skippedEachWay())
		r.All = m.all(d)
		list = append(list, r)
	}
	return list
}

func flowResult(o *traffic.Outcome, f *traffic.FlowOutcome, d record.Direction, skipped uint64) record.Flow {
	r := record.Flow{
		Direction: d,
		Traffic: record.Traffic{
			TxPackets: f.Sent, RxPackets: f.Received, FrameLossRatio: lossRatio(f), Duplicates: f.Duplicates,
			Reordered: f.Reordered, CEMarked: f.Marked, Wrong: packets(f.Wrong), Latency: dueLatency(f, skipped),
			JitterNS: f.JitterNS, LossRuns: lossRuns(f.LossRuns), ReorderExtent: extent(f),
			PDV: f.Actual.Above(), IPDV: figures(f.IPDV.Latency()),
		},
	}
	if o.SendSeconds > 0 {
		r.TxPPS, r.TxL2bps = float64(f.Sent)/o.SendSeconds, float64(8*f.SentBytes)/o.SendSeconds
		took := receiving(o, f)
		r.RxPPS, r.RxL2bps = float64(f.Received)/took, float64(8*f.ReceivedBytes)/took
	}
	return r
}

func lossRatio(f *traffic.FlowOutcome) float64 {
	if f.Sent <= f.Received {
		return 0
	}
	return float64(f.Sent-f.Received) / float64(f.Sent)
}

func packets(counts []record.Count) (n uint64) {
	for _, c := range counts {
		n += c.Packets
	}
	return n
}
