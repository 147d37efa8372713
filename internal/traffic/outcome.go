package traffic

import (
	"cmp"
	"sort"

	"github.com/upflab/upflab/internal/record"
)

// Outcome is what a trial's traffic came to, or a part of it: that of one source or
// sink. Flows are by their index in the engine, whether the sequence uses them or not.
//
// Where windows were excluded, all figures are of the windows that were kept, but for
// the spans, BusyRatio and what FlowOutcome says.
type Outcome struct {
	Intended, Sent    uint64
	LateSlots, Stalls uint64
	Skipped           uint64  // of those intended: a pause had made them too late
	Sending           Span    // first to last frame sent; of the whole trial
	SendSeconds       float64 // the same, plus one gap, less what was excluded
	BusyRatio         float64 // share of the sending core's time that sending took; of the whole trial
	Lateness          Histogram
	Tallies           Tallies // the counts by time; empty where it was not counted by windows
	Flows             []FlowOutcome
	Excluded          Excluded
	// Doubts are what the engine itself met that a reader should know, in sentences.
	Doubts []string
}

// Excluded is what does not count since it was due in windows that were disturbed. With
// the other figures it adds up to the whole trial.
type Excluded struct {
	// Void: so little was undisturbed that everything counts all the same. Windows and
	// Seconds are what was disturbed then, and the counts are 0.
	Void              bool
	Windows, Of       uint64  // of all windows that the trial touched
	Seconds           float64 // of the trial, in those windows
	Intended, Sent    uint64
	LateSlots, Stalls uint64
	Skipped           uint64
	Received          []uint64    // packets, by flow
	Latency           []Histogram // of those, by flow
	Tallies           Tallies     // the counts by time, and those of each flow
	FlowTallies       []Tallies
	Spans             []Span // of when those windows were due, in ascending order
}

// Holds reports whether what was due at a time, ns, was excluded.
func (x *Excluded) Holds(due uint64) bool {
	i := sort.Search(len(x.Spans), func(i int) bool { return x.Spans[i].Last > due })
	return i < len(x.Spans) && x.Spans[i].First <= due
}

// FlowOutcome is what was sent of a flow and what arrived. SentBySession, ReceivedBySession, Duplicates,
// Foreign, Reordered, Wrong, LossRuns and Extents are of the whole trial, whatever was
// excluded of it: they follow sequences, which windows would cut.
type FlowOutcome struct {
	Sent, SentBytes         uint64   // bytes: L2, without FCS
	SentBySession           []uint64 // packets, by session; nil where there are none
	ReceivedBySession       []uint64 // once and right; likewise
	Received, ReceivedBytes uint64
	Receiving               Span    // first to last frame received; of the whole trial
	ReceiveSeconds          float64 // the same, plus one gap, less what was excluded
	Duplicates, Foreign     uint64
	Marked                  uint64         // of Received: sent as ECT, and now CE (RFC 3168 clause 5)
	Reordered               uint64         // RFC 4737 clause 3.3
	Wrong                   []record.Count // by reason: those of Faults
	Specimen                []byte         // first bytes of a wrong packet

	Latency Histogram // from the intended send time
	queue   growth    // of what they waited in, over windows; empty likewise
	Blocks  Blocks    // the same by time; empty where it was not counted by windows
	Tallies Tallies   // the counts by time; likewise
	Actual  Histogram // from the real one
	// IPDV is the absolute difference of the delays, from the real send time, of
	// packets that follow each other in the sending order of a stream (RFC 3393
	// clause 2, RFC 5481 clause 4.1). Pairs of which one did not arrive have none.
	IPDV     Histogram
	Jitter   Jitter
	JitterNS float64 // its mean over packets

	// LossRuns are the runs of consecutive lost packets of a stream, ascending by
	// length (RFC 3357 clause 6.1, loss period). A packet that comes later than
	// the reordering window allows counts as lost here.
	LossRuns []LossRun
	// Extents is by how many arrivals a reordered packet is late (RFC 4737 clause
	// 4.2.2); ExtentUnknown is how many came too late for it to be known.
	Extents       Histogram
	ExtentUnknown uint64

	// RoundTrips are those of packets that were turned around; of the whole trial.
	RoundTrips RoundTrips
	// Stamps is what the NIC's own times of reception say; none where they are not read.
	Stamps Stamps
}

// Stamps are latencies up to when the NIC received a packet, by its own clock.
type Stamps struct {
	With, Without uint64 // packets that have such a time, and others
	Early         uint64 // by it received before they were due, so the clocks do not agree
	AheadNS       int64  // CLOCK_MONOTONIC less the NIC's clock at the beginning
	// ErrorNS is how exactly that is known, and what it changed by in the trial, ns.
	ErrorNS uint64
	Latency Histogram // from the intended time; of the whole trial, disturbed windows too
	Why     string    // they are not known, although the NIC has times; else ""
}

// merge adds another sink's.
func (s *Stamps) merge(other *Stamps) {
	s.With += other.With
	s.Without += other.Without
	s.Early += other.Early
	s.AheadNS = cmp.Or(s.AheadNS, other.AheadNS)
	s.ErrorNS = max(s.ErrorNS, other.ErrorNS)
	s.Latency.Merge(&other.Latency)
	s.Why = cmp.Or(s.Why, other.Why)
}

// LossRun is how often so many packets of a stream were lost in a row.
type LossRun struct {
	Length uint64 `json:"length"`
	Count  uint64 `json:"count"`
}

// Span is the time from a first to a last packet, ns of CLOCK_MONOTONIC. The zero
// value is that of no packets.
type Span struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Seconds is how long n packets took: the span and one mean gap.
func (s Span) Seconds(n uint64) float64 {
	if n == 0 {
		return 0
	}
	return float64(s.Last-s.First) * float64(n) / float64(max(n-1, 1)) / 1e9
}

// seconds is the same where the span is known, else what was reported.
func (s Span) seconds(n uint64, reported float64) float64 {
	if s == (Span{}) {
		return reported
	}
	return s.Seconds(n)
}

func (s *Span) merge(other Span) {
	switch {
	case other == Span{}:
	case *s == Span{}:
		*s = other
	default:
		s.First, s.Last = min(s.First, other.First), max(s.Last, other.Last)
	}
}

// Jitter is RFC 3550's estimate (clause 6.4.1) after each packet: their sum in 1/16
// ns, and how many there are.
type Jitter struct{ Sum, Count uint64 }

// Nanoseconds is the mean; 0 when there is none.
func (j Jitter) Nanoseconds() float64 {
	if j.Count == 0 {
		return 0
	}
	return float64(j.Sum) / float64(j.Count) / 16
}

// nanoseconds is the same where there are estimates, else what was reported.
func (j Jitter) nanoseconds(reported float64) float64 {
	if j.Count == 0 {
		return reported
	}
	return j.Nanoseconds()
}

func (j *Jitter) merge(other Jitter) {
	j.Sum += other.Sum
	j.Count += other.Count
}
