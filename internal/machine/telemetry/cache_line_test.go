package telemetry

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestCacheLineNS(t *testing.T) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	var cpus []int
	for cpu := range 1024 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	if len(cpus) < 2 {
		t.Skip("one CPU")
	}
	ns, err := CacheLineNS(cpus[0], cpus[1])
	for until := time.Now().Add(10 * time.Second); errors.Is(err, ErrCacheLine) && time.Now().Before(until); {
		ns, err = CacheLineNS(cpus[0], cpus[1]) // others have the CPUs
	}
	if err != nil {
		t.Fatal(err)
	}
	if ns < 5 || ns > 20_000 {
		t.Errorf("%v ns for a cache line there and back", ns)
	}
	t.Logf("%.0f ns from CPU %d to CPU %d and back", ns, cpus[0], cpus[1])
	if _, err := CacheLineNS(cpus[0], 1023); err == nil {
		t.Error("CPU 1023 ran something")
	}
}
