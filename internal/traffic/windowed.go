package traffic

import "time"

// Windowed is a source or a sink that can count by windows. An application's source is
// not.
type Windowed interface {
	// Windows has it count by windows in the trials to come, or no longer. It is called
	// before Prepare and Begin, which forget the windows of the trial before. can is false
	// where it is not possible.
	Windows(on bool) (can bool, err error)
	// Complete reports whether all that was due in a window was counted there.
	Complete(id uint64) bool
	// Fold ends a window: what it counted is added to what was kept, or excluded. Windows
	// are folded in ascending order.
	Fold(id uint64, keep bool)
}

// WindowedSource is a source that can count by windows. It skips the slots of a long
// stall then: when a slot is over 500 us late, it and all others that are due.
type WindowedSource interface {
	Source
	Windowed
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
}

// WindowedSink is a sink that can count by windows.
type WindowedSink interface {
	Sink
	Windowed
	// Counted gives what was counted in the windows that were kept, with packets that came
	// after these were folded, and in the others. It is called when all were folded.
	Counted() (kept, excluded FlowOutcome)
}
