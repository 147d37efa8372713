// Package analysis says what numbers mean: statistics over a few repeats, and
// the verdict on a trial: whether it is valid and what limited it. All
// functions are pure.
package analysis
