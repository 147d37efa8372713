package traffic

import (
	"cmp"
	"maps"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// Merge adds what another part of the same trial came to: that of another source, or
// of a sink. Parts of one flow have different sessions. The result is exactly what one
// part would have reported that had seen everything; only BusyRatio is that of the
// busiest core.
func (o *Outcome) Merge(other *Outcome) {
	o.Intended += other.Intended
	o.Sent += other.Sent
	o.LateSlots += other.LateSlots
	o.Stalls += other.Stalls
	o.Skipped += other.Skipped
	o.Sending.merge(other.Sending)
	o.SendSeconds = o.Sending.seconds(o.Sent, max(o.SendSeconds, other.SendSeconds))
	o.BusyRatio = max(o.BusyRatio, other.BusyRatio)
	o.Lateness.Merge(&other.Lateness)
	o.Tallies.merge(&other.Tallies)
	o.Doubts = append(o.Doubts, other.Doubts...)
	for len(o.Flows) < len(other.Flows) {
		o.Flows = append(o.Flows, FlowOutcome{})
	}
	for i := range other.Flows {
		o.Flows[i].Merge(&other.Flows[i])
	}
}

// Merge adds another part of the same flow.
func (f *FlowOutcome) Merge(other *FlowOutcome) {
	f.Sent += other.Sent
	f.SentBytes += other.SentBytes
	f.SentBySession = addEach(f.SentBySession, other.SentBySession)
	f.ReceivedBySession = addEach(f.ReceivedBySession, other.ReceivedBySession)
	f.Received += other.Received
	f.ReceivedBytes += other.ReceivedBytes
	f.Receiving.merge(other.Receiving)
	f.queue.merge(other.queue)
	f.ReceiveSeconds = f.Receiving.seconds(f.Received, max(f.ReceiveSeconds, other.ReceiveSeconds))
	f.Duplicates += other.Duplicates
	f.Marked += other.Marked
	f.Foreign += other.Foreign
	f.Reordered += other.Reordered
	f.Wrong = addFaults(f.Wrong, other.Wrong)
	if f.Specimen == nil {
		f.Specimen = other.Specimen
	}
	f.Latency.Merge(&other.Latency)
	f.Blocks.merge(&other.Blocks)
	f.Tallies.merge(&other.Tallies)
	f.Actual.Merge(&other.Actual)
	f.IPDV.Merge(&other.IPDV)
	f.Jitter.merge(other.Jitter)
	f.JitterNS = f.Jitter.nanoseconds(max(f.JitterNS, other.JitterNS))
	f.LossRuns = AddRuns(f.LossRuns, other.LossRuns)
	f.Extents.Merge(&other.Extents)
	f.ExtentUnknown += other.ExtentUnknown
	f.RoundTrips.Merge(&other.RoundTrips)
	f.Stamps.merge(&other.Stamps)
}

// addEach adds up element by element; the shorter list ends in zeros.
func addEach(a, b []uint64) []uint64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	sum := slices.Clone(a)
	for i, n := range b {
		sum[i] += n
	}
	return sum
}

// addFaults adds up counts by reason, in the order of Faults; others come last.
func addFaults(a, b []record.Count) (sum []record.Count) {
	counts := map[record.Place]uint64{}
	for _, list := range [][]record.Count{a, b} {
		for _, c := range list {
			counts[c.Place] += c.Packets
		}
	}
	for _, name := range append(Faults(), slices.Sorted(maps.Keys(counts))...) {
		if n := counts[name]; n > 0 {
			sum = append(sum, record.Count{Place: name, Packets: n})
			delete(counts, name)
		}
	}
	return sum
}

// AddRuns adds up runs by length, ascending.
func AddRuns(a, b []LossRun) (sum []LossRun) {
	counts := map[uint64]uint64{}
	for _, list := range [][]LossRun{a, b} {
		for _, r := range list {
			counts[r.Length] += r.Count
		}
	}
	for length, n := range counts {
		sum = append(sum, LossRun{Length: length, Count: n})
	}
	slices.SortFunc(sum, func(a, b LossRun) int { return cmp.Compare(a.Length, b.Length) })
	return sum
}
