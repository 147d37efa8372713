package traffic

// Windowed is a source or a sink as it counts by windows: what was disturbed is excluded so. A sink that
// cannot embeds WholeSink.
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
