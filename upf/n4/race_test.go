//go:build race

package n4

// raceDetector makes everything slower by far.
const raceDetector = true
