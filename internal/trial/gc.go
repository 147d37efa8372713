package trial

import (
	"runtime"
	"runtime/debug"
)

// garbage is how much may pile up in a trial before it is collected all the same,
// bytes: an hour's trial must not eat the machine.
const garbage = 256 << 20

// pauseGC keeps our own garbage collector off the CPUs, of which the generator has
// one and the UPF another, until resume is called. A collection takes milliseconds.
func pauseGC() (resume func()) {
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
