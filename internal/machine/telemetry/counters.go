package telemetry

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The names of the processor's counters.
const (
	CounterInstructions = "instructions"
	CounterCycles       = "cycles"
	CounterCacheMisses  = "cache_misses"
	CounterBranchMisses = "branch_misses"
)

// event is what a counter counts.
type event struct {
	name   string
	kind   uint32
	config uint64
}

func hardware() []event {
	return []event{
		{CounterInstructions, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS},
		{CounterCycles, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
		{CounterCacheMisses, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CACHE_MISSES},
		{CounterBranchMisses, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_BRANCH_MISSES},
	}
}

// Counters count what CPUs do, in the kernel and outside, whoever does it.
type Counters struct {
	names []string
	files [][]int // by name, one for each CPU
}

// OpenCounters opens the hardware counters of CPUs that this machine has. Most virtual machines have none: that is an error.
func OpenCounters(cpus []int) (*Counters, error) { return openCounters(cpus, hardware()) }

func openCounters(cpus []int, events []event) (*Counters, error) {
	c := &Counters{}
	var missing error
	for _, e := range events {
		files, err := e.open(cpus)
		if err != nil {
			missing = errors.Join(missing, err)
			continue
		}
		c.names, c.files = append(c.names, e.name), append(c.files, files)
	}
	if len(c.names) == 0 {
		return nil, fmt.Errorf("the processor's counters are not known here: %w", missing)
	}
	return c, nil
}

func (e event) open(cpus []int) (files []int, err error) {
	for _, cpu := range cpus {
		fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: e.kind, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Config: e.config,
			Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING}, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("count %s of CPU %d: %w", e.name, cpu, err)
		}
		files = append(files, fd)
	}
	return files, nil
}

// Read gives the counts so far, summed over the CPUs. Where a processor has too few counters they take turns, and a count is
// what its share of the time makes of it.
func (c *Counters) Read() (map[string]uint64, error) {
	counts := map[string]uint64{}
	for i, name := range c.names {
		for _, fd := range c.files[i] {
			n, err := readEvent(fd)
			if err != nil {
				return nil, fmt.Errorf("read the counter of %s: %w", name, err)
			}
			counts[name] += n
		}
	}
	return counts, nil
}

func readEvent(fd int) (uint64, error) {
	var b [24]byte
	if n, err := unix.Read(fd, b[:]); err != nil || n != len(b) {
		return 0, errors.Join(err, fmt.Errorf("%d of %d octets", n, len(b)))
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(b[8*i:]) }
	return scaled(word(0), word(1), word(2)), nil
}

// scaled is what a counter would have come to that ran all the time.
func scaled(n, enabled, ran uint64) uint64 {
	if ran == 0 || ran >= enabled {
		return n
	}
	high, low := bits.Mul64(n, enabled)
	q, _ := bits.Div64(high, low, ran)
	return q
}

// Close ends counting.
func (c *Counters) Close() error {
	for _, files := range c.files {
		closeAll(files)
	}
	return nil
}

func closeAll(files []int) {
	for _, fd := range files {
		unix.Close(fd)
	}
}

// countersBetween are what counters of both samples came to between them; nil: there are none.
func countersBetween(a, b Sample) map[string]uint64 {
	var sum map[string]uint64
	for name, n := range b.Counters {
		before, known := a.Counters[name]
		if !known || n < before {
			continue
		}
		if sum == nil {
			sum = map[string]uint64{}
		}
		sum[name] = n - before
	}
	return sum
}
