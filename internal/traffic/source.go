package traffic

import "context"

// Source sends. One source is one sending core with its signed packets, or an
// application (iperf3, HTTP), whose packets carry no signature.
//
// Several sources send at the same time: each its share of the schedule (Deal), for
// sessions that no other source sends for. A share is part of a source's own
// configuration.
type Source interface {
	// Prepare makes the source ready for a trial. Signed packets carry the trial's
	// number, those of the warm-up the number before it.
	Prepare(s Schedule, trial uint16) error
	// Send sends the warm-up and the trial, and returns when the last packet was
	// handed over. It calls Quiet and Start of the marks. When ctx ends it stops
	// early, with ctx's error.
	Send(ctx context.Context, m Marks) error
	// Sent is how many packets of the trial were sent so far. It may be called from
	// any goroutine.
	Sent() uint64
	// Outcome gives what the trial came to as the source knows it, after Send:
	// what it sent and, where the source sees that itself, what arrived.
	Outcome() (Outcome, error)
	// Close frees what the source uses.
	Close() error
}

// Sink receives one flow. It counts packets by their signatures, whichever source
// sent them.
type Sink interface {
	// Begin forgets the last trial and counts the packets of the one with that
	// number. It is called again before the trial's first packet: a damaged packet of
	// the warm-up may look like one of the trial.
	Begin(trial uint16) error
	// Received is how many packets of the trial arrived so far. It and AddLatency
	// may be called from any goroutine.
	Received() uint64
	// AddLatency adds the latencies so far, from the intended time, to the counts of
	// h.
	AddLatency(h *Histogram) error
	// Outcome gives what arrived. sent is how many packets of each session were sent,
	// by all sources together; it ends the trial.
	Outcome(sent []uint64) (FlowOutcome, error)
	// Close frees what the sink uses.
	Close() error
}
