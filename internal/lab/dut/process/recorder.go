package process

import "github.com/upflab/upflab/internal/lab/site"

// Recorder is a Site that takes down what a driver would start there, in place of
// starting it.
type Recorder interface {
	site.Site
	// Record takes down the programs, in the order of their start, which may have a PID
	// namespace of their own. Its error is what Start and StartGroup return; it is not nil.
	Record(parts []Part, pidNamespace bool) error
}
