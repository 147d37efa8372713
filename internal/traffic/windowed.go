package traffic

import "time"

// Windowed is a source or a sink as it counts by windows: what was disturbed is excluded so. One that cannot,
// as an application's source, embeds WholeSource or WholeSink.
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

// Whole is for what cannot count by windows: its trials are counted whole.
type Whole struct{}

// Windows implements Windowed: it is not possible.
func (Whole) Windows(bool) (can bool, err error) { return false, nil }

// Complete implements Windowed; it is not called.
func (Whole) Complete(uint64) bool { return false }

// Fold implements Windowed; it is not called.
func (Whole) Fold(uint64, bool) {}

// WholeSink is Whole for a Sink.
type WholeSink struct{ Whole }

// Counted implements Sink; it is not called.
func (WholeSink) Counted() (kept, excluded FlowOutcome) { return kept, excluded }

// WholeSource is Whole for a Source, which shares its schedule with nobody.
type WholeSource struct{ Whole }

// Share implements Source: all is its own.
func (WholeSource) Share() Share { return Share{} }

// Span implements Source; it is not called.
func (WholeSource) Span() (first, end uint64) { return 0, 0 }

// Extend implements Source; it is not called.
func (WholeSource) Extend(time.Duration) error { return nil }

// Counted implements Source; it is not called.
func (WholeSource) Counted() (kept, excluded Outcome) { return kept, excluded }
