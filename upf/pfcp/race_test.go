//go:build race

package pfcp

// raceDetector makes everything slower by far.
const raceDetector = true
