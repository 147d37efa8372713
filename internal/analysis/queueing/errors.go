package queueing

import "errors"

// What Fit, Safe and Predict refuse; errors.Is tells which. The text that wraps
// them says at what load and what to do.
var (
	ErrValue         = errors.New("not a measurement")
	ErrNoLatency     = errors.New("no latency")
	ErrFewLoads      = errors.New("too few loads")
	ErrAllLost       = errors.New("all packets lost")
	ErrSaturated     = errors.New("saturated at every load")
	ErrNeverLoaded   = errors.New("never loaded")
	ErrNoModel       = errors.New("no model fits")
	ErrUnknownModel  = errors.New("unknown model")
	ErrTarget        = errors.New("not a target")
	ErrTargetTooHard = errors.New("target not reached at any load")
)
