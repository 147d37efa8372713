// Package coverage holds the statements of upflab's own statistics against simulated truth: how often an interval
// contains what it says, and how often a verdict is false. Its machines, queues and builds have no code and no
// assumption in common with the analysis. It is nothing but tests:
//
//	make coverage
package coverage
