package traffic

import (
	"context"
	"time"
)

// Source sends. One source is one sending core with its signed packets, or an
// application (iperf3, HTTP), whose packets carry no signature.
//
// Several sources send at the same time: each its share of the schedule, for
// sessions that no other source sends for.
//
// A source that counts by windows skips the slots of a long stall: when a slot is over 500 us late, it
// and all others that are due.
type Source interface {
	Windowed
	// Share is that of the schedule; it does not change. Group has sources that share a schedule
	// begin their trial at the same time.
	Share() Share
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
	// Span is when the trial's first slot is due and when its last one's gap ends, ns of
	// CLOCK_MONOTONIC; zeros before that is known.
	Span() (first, end uint64)
	// Extend lets the trial take so long in all, counted from its first slot. It has no
	// effect on one that has ended, or that takes longer already.
	Extend(d time.Duration) error
	// Counted gives what was counted in the windows that were kept and in the others,
	// after Send and when all windows were folded. What was due and not reached is among
	// what was intended in those kept.
	Counted() (kept, excluded Outcome)
	// Close frees what the source uses.
	Close() error
}

// Sink receives one flow. It counts packets by their signatures, whichever source
// sent them.
type Sink interface {
	Windowed
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
	// Counted gives what was counted in the windows that were kept, with packets that came
	// after these were folded, and in the others. It is called when all were folded.
	Counted() (kept, excluded FlowOutcome)
	// Close frees what the sink uses.
	Close() error
}
