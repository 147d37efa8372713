// Package gctune lets garbage pile up in a process that has little in use. Go collects when
// there is as much garbage as is in use: with few sessions a UPF would do so some times a
// second, and answer late meanwhile.
package gctune

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// usual is GOGC where nothing is said, percent of what is in use.
const usual = 100

// AtLeast has so many octets of garbage pile up, or as many as are in use where that is
// more, before they are collected. It leaves alone what the environment sets (GOGC,
// GOMEMLIMIT).
func AtLeast(octets uint64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	follow(octets, usual)
}

// follow sets the percentage for what is in use now, and again after each collection.
func follow(octets uint64, before int) {
	now := percent(octets, inUse())
	if now != before {
		debug.SetGCPercent(now)
	}
	collected := new([64]byte)
	runtime.SetFinalizer(collected, func(*[64]byte) { follow(octets, now) })
}

// percent is the percentage of what is in use, in steps: a change stops the process for a
// moment.
func percent(octets, used uint64) int {
	const step, most = usual, 100 * usual
	p := math.Ceil(float64(octets)*100/float64(max(used, 1))/step) * step
	return int(min(max(p, usual), most))
}

// inUse is what the percentage is of: what the last collection left, with what it looked
// through besides the heap, octets.
func inUse() (octets uint64) {
	parts := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(parts)
	for _, part := range parts {
		if part.Value.Kind() == metrics.KindUint64 {
			octets += part.Value.Uint64()
		}
	}
	return octets
}

// Pause keeps the collector off the CPUs until resume is called: a collection takes milliseconds,
// and a trial has one CPU for the generator and another for the UPF. What is garbage now is
// collected first. With more than most octets of new garbage it is collected all the same.
func Pause(most uint64) (resume func()) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	limit := debug.SetMemoryLimit(int64(m.Sys + most))
	percent := debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
