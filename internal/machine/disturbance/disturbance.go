package disturbance

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/internal/socket/threads"
)

// Config says what is watched.
type Config struct {
	// Generators are the CPUs that send: they poll, and are never idle.
	Generators []int
	// Others are those of the DUT and of the sink. A CPU that is in both lists
	// counts as one of these.
	Others []int
	// Ours are the DUT's processes, and the kernel threads that receive for it. Their
	// threads and children are theirs. Of this process, threads named
	// host.TrafficThread are ours, and no others.
	Ours []int
}

// Monitor watches CPUs from Watch to Close.
type Monitor struct {
	objects watchObjects
	links   []link.Link
	clocks  []int // perf events
	reader  *ringbuf.Reader
	memory  *ebpf.Memory // of the map cpus

	mu      sync.Mutex
	record  ringbuf.Record
	history history
	began   uint64 // ns of CLOCK_MONOTONIC: Begin
	err     error  // the first that reading gave: all since counts as disturbed
}

// NotAvailable is why CPUs cannot be watched here: no BPF, no BTF, not enough
// rights. A trial then counts everything.
type NotAvailable struct{ Err error }

func (e *NotAvailable) Error() string {
	return fmt.Sprintf("disturbances of the CPUs cannot be watched: %v", e.Err)
}

func (e *NotAvailable) Unwrap() error { return e.Err }

// Watch begins to watch. An error is a *NotAvailable. It takes some 50 ms.
func Watch(c Config) (*Monitor, error) {
	m := &Monitor{history: newHistory(c.Generators, c.Others)}
	for _, step := range []func() error{
		func() error { return m.load() },
		func() error { return m.Add(c.Ours...) },
		func() error { return m.attach() },
		func() error { return m.startClocks(m.history.cpus()) },
	} {
		if err := step(); err != nil {
			return nil, &NotAvailable{errors.Join(err, m.Close())}
		}
	}
	m.Begin()
	return m, nil
}

// Begin forgets what was before: a trial begins.
func (m *Monitor) Begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.restartClocks(m.clocks...); err != nil && m.err == nil {
		m.err = err
	}
	m.began = threads.Monotonic()
	m.drain()
	m.history.forget(m.began)
}

// Excluded reports whether the time [from, to), ns of CLOCK_MONOTONIC, was
// disturbed on any CPU that is watched. It should have passed for 100 ms: what it is
// asked about a time that still runs may change. It can be called from any goroutine.
func (m *Monitor) Excluded(from, to uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	// The state comes first: what ends after it was read is in the ring by then or
	// was still open when it was read.
	open := m.open()
	m.drain()
	if m.err != nil {
		return true
	}
	return m.history.touches(from, to, open)
}

// Summary sums up what was noted since Begin.
func (m *Monitor) Summary() Summary {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drain()
	return m.history.summary()
}

// Close ends the watching.
func (m *Monitor) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	errs := []error{closeClocks(m.clocks)}
	for _, l := range m.links {
		errs = append(errs, l.Close())
	}
	if m.reader != nil {
		errs = append(errs, m.reader.Close())
	}
	m.clocks, m.links, m.reader = nil, nil, nil
	errs = append(errs, m.objects.Close())
	m.err = errors.New("closed")
	return errors.Join(errs...)
}

// Period is how often the clock of each CPU fires; Late is by how much it, or any other
// timer of the kernel's that is served in hard interrupt context, may be late. A pause
// of Period + Late is always seen, a shorter one by chance. On a quiet virtual machine
// 98 of 100 are under 8 us late, and pauses begin somewhere above 50 us.
const (
	Period = 250 * time.Microsecond
	Late   = 150 * time.Microsecond
)

// Held is how long somebody else may have a CPU at once, Share how long in a window of
// 1.05 ms, in pieces: 100 us is what a ring of 256 holds at 2.5 Mpps. Pieces shorter than
// Given do not count: to give way at once takes another program as long.
const (
	Held  = 100 * time.Microsecond
	Share = 200 * time.Microsecond
	Given = 20 * time.Microsecond
)
