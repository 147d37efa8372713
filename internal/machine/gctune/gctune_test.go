package gctune

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

func TestPercent(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		octets, used uint64
		want         int
	}{
		{64 * mib, 1000 * mib, 100}, {64 * mib, 64 * mib, 100}, {64 * mib, 63 * mib, 200},
		{64 * mib, 16 * mib, 400}, {64 * mib, 15 * mib, 500}, {64 * mib, 0, 10000},
	} {
		if got := percent(c.octets, c.used); got != c.want {
			t.Errorf("%d with %d in use: %d %%, want %d", c.octets, c.used, got, c.want)
		}
	}
}

// The percentage follows what is in use.
func TestAtLeast(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	set := func() int {
		now := debug.SetGCPercent(usual)
		debug.SetGCPercent(now)
		return now
	}
	runtime.GC()
	AtLeast(64 << 20)
	if got := set(); got < 2*usual {
		t.Fatalf("%d %% with little in use", got)
	}
	held := make([]byte, 128<<20)
	collected := func() bool { runtime.GC(); return set() == usual }
	if !wait.Until(10*time.Second, time.Millisecond, collected) {
		t.Errorf("%d %% with %d MiB in use", set(), len(held)>>20)
	}
	runtime.KeepAlive(held)
}

func TestTheEnvironmentRules(t *testing.T) {
	t.Setenv("GOGC", "70")
	before := debug.SetGCPercent(70)
	defer debug.SetGCPercent(before)
	AtLeast(1 << 40)
	if now := debug.SetGCPercent(70); now != 70 {
		t.Errorf("%d %%, and GOGC=70", now)
	}
}

// TestPause: no collection begins while little garbage is made, one does when there is more than
// most, and afterwards there are collections again, with the limit of before.
func TestPause(t *testing.T) {
	const most = 64 << 20
	percent, limit := debug.SetGCPercent(120), debug.SetMemoryLimit(-1)
	defer debug.SetGCPercent(percent)
	resume := Pause(most)
	before := collections()
	for range 32 {
		waste = make([]byte, 1<<20)
	}
	if n := collections() - before; n != 0 {
		t.Errorf("%d collections with half of the garbage that is allowed", n)
	}
	for range 8 * most >> 20 {
		waste = make([]byte, 1<<20)
	}
	if collections() == before {
		t.Error("no collection with eight times as much")
	}
	resume()
	if p := debug.SetGCPercent(120); p < 0 { // a follower of another test may have set it since
		t.Error("afterwards it does not collect")
	}
	if l := debug.SetMemoryLimit(-1); l != limit {
		t.Errorf("afterwards the limit is %d, and was %d", l, limit)
	}
}

// waste keeps the compiler from leaving allocations out.
var waste []byte

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}
