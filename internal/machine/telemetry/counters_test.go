package telemetry

import (
	"maps"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What a machine without hardware counters has: the kernel's own.
func software() []event {
	return []event{{"clock", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK},
		{"unknown here", unix.PERF_TYPE_HARDWARE, 999}}
}

// TestCounters: counters that there are count, and those that there are not are left out.
func TestCounters(t *testing.T) {
	c, err := openCounters([]int{0}, software())
	if err != nil {
		t.Skip(err) // perf_event_paranoid, or a container without it
	}
	defer c.Close()
	s := Subject{Counters: c.Read}
	a, err := Take(s)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	b, err := Take(s)
	if err != nil {
		t.Fatal(err)
	}
	got := Between(a, b).Counters
	if len(got) != 1 || got["clock"] < uint64(10*time.Millisecond) {
		t.Errorf("in 20 ms CPU 0 counted %v", got)
	}
}

func TestNoCounters(t *testing.T) {
	if c, err := openCounters([]int{0}, software()[1:]); err == nil {
		c.Close()
		t.Error("a counter that no processor has was opened")
	}
}

func TestCountersBetween(t *testing.T) {
	a := Sample{Counters: map[string]uint64{"instructions": 100, "cycles": 7}}
	b := Sample{Counters: map[string]uint64{"instructions": 350, "cache_misses": 9, "cycles": 1}}
	if got, want := countersBetween(a, b), map[string]uint64{"instructions": 250}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v: one that went back, or was not read before, is not known", got, want)
	}
	if got := countersBetween(Sample{}, b); got != nil {
		t.Errorf("%v", got)
	}
}

// Counters that take turns are scaled, without an overflow.
func TestScaled(t *testing.T) {
	for _, x := range []struct{ n, enabled, ran, want uint64 }{
		{10, 100, 100, 10}, {10, 100, 50, 20}, {10, 100, 0, 10}, {1 << 50, 1 << 50, 1 << 49, 1 << 51},
	} {
		if got := scaled(x.n, x.enabled, x.ran); got != x.want {
			t.Errorf("%d in %d of %d: %d, want %d", x.n, x.ran, x.enabled, got, x.want)
		}
	}
}
