//go:build !race

package n4

const raceDetector = false
