// Package stats is statistics over a few repeats: intervals, differences, trends.
// All functions are pure.
package stats
