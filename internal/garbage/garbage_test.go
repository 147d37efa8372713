package garbage

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
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
	deadline := time.Now().Add(10 * time.Second)
	for set() != usual && time.Now().Before(deadline) {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if got := set(); got != usual {
		t.Errorf("%d %% with %d MiB in use", got, len(held)>>20)
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
