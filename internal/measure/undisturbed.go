package measure

import (
	"runtime"
	"runtime/debug"
)

// garbage is how much may pile up in a trial before it is collected all the same,
// bytes: an hour's trial must not eat the machine.
const garbage = 256 << 20

// undisturbed keeps our own garbage collector from the CPUs, of which the
// generator has one and the UPF another, until the function that it gives is
// called. A collection takes milliseconds.
func undisturbed() (disturb func()) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	limit := debug.SetMemoryLimit(int64(m.Sys) + garbage)
	percent := debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
