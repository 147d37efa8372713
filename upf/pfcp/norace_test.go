//go:build !race

package pfcp

const raceDetector = false
