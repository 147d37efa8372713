package traffic

import "github.com/upflab/upflab/internal/record"

// Outcome is what a trial's traffic came to: what the schedule did, and each
// flow, by its index in the engine, whether the sequence uses it or not.
type Outcome struct {
	Intended, Sent    uint64
	LateSlots, Stalls uint64
	SendSeconds       float64 // first to last frame sent, plus one gap
	BusyRatio         float64 // share of the sending core's time that sending took
	Lateness          Histogram
	Flows             []FlowOutcome
}

// FlowOutcome is what was sent of a flow and what arrived.
type FlowOutcome struct {
	Sent, SentBytes         uint64 // bytes: L2, without FCS
	Received, ReceivedBytes uint64
	ReceiveSeconds          float64 // first to last frame received, plus one gap
	Duplicates, Foreign     uint64
	Reordered               uint64         // RFC 4737 clause 3.3
	Wrong                   []record.Count // by reason
	Specimen                []byte         // first bytes of a wrong packet

	Latency Histogram // from the intended send time
	Actual  Histogram // from the real one
	// IPDV is the absolute difference of the delays, from the real send time, of
	// packets that follow each other in the sending order of a stream (RFC 3393
	// clause 2, RFC 5481 clause 4.1). Pairs of which one did not arrive have none.
	IPDV     Histogram
	JitterNS float64 // RFC 3550 clause 6.4.1, mean over packets

	// LossRuns are the runs of consecutive lost packets of a stream, ascending by
	// length (RFC 3357 clause 6.1, loss period). A packet that comes later than
	// the reordering window allows counts as lost here.
	LossRuns []LossRun
	// Extents is by how many arrivals a reordered packet is late (RFC 4737 clause
	// 4.2.2); ExtentUnknown is how many came too late for it to be known.
	Extents       Histogram
	ExtentUnknown uint64
}

// LossRun is how often so many packets of a stream were lost in a row.
type LossRun struct{ Length, Count uint64 }
