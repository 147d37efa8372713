// Package hold disturbs a CPU on purpose: it keeps it in a hard interrupt, where
// nothing else runs. It is for tests of what finds disturbances.
package hold

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"

	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -idirafter /usr/include/x86_64-linux-gnu" hold bpf/hold.c

// Holder is a CPU that is held from time to time, from Begin until Close.
type Holder struct {
	objects  holdObjects
	period   time.Duration
	clock    int       // of the CPU: a timer that is due in each period
	hold     link.Link // since Begin
	closing  chan struct{}
	keeper   sync.WaitGroup
	fault    error // that ended keepGoing; its own until then
	closed   sync.Once
	closeErr error
}

// Start holds a CPU for length (at most 40 ms) each period, of which length should be a
// small part.
func Start(cpu int, length, period time.Duration) (*Holder, error) {
	h, err := Load(cpu, length, period)
	if err != nil {
		return nil, err
	}
	if err := h.Begin(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// Load is Start without the beginning: loading may take seconds on a busy machine.
func Load(cpu int, length, period time.Duration) (*Holder, error) {
	spec, err := loadHold()
	if err != nil {
		return nil, err
	}
	h := &Holder{period: period, clock: -1, closing: make(chan struct{})}
	// The timer's own period is a little shorter now and then.
	err = errors.Join(spec.Variables[holdVarCpu].Set(uint32(cpu)), spec.Variables[holdVarLength].Set(uint64(length)),
		spec.Variables[holdVarApart].Set(uint64(period*7/8)))
	if err != nil {
		return nil, err
	}
	if err := spec.LoadAndAssign(&h.objects, nil); err != nil {
		return nil, fmt.Errorf("load the program that holds a CPU: %w", err)
	}
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Sample: uint64(period),
	}
	if h.clock, err = unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC); err != nil {
		return nil, errors.Join(fmt.Errorf("start a timer on CPU %d: %w", cpu, err), h.Close())
	}
	return h, nil
}

// Begin holds the CPU of a Holder that was loaded, at once.
func (h *Holder) Begin() (err error) {
	h.hold, err = link.AttachRawTracepoint(link.RawTracepointOptions{Name: "hrtimer_expire_exit", Program: h.objects.Hold})
	if err != nil {
		return fmt.Errorf("hold a CPU: %w", err)
	}
	h.keeper.Go(h.keepGoing)
	return nil
}

// keepGoing starts the timer again when the kernel has stopped it: it throttles a perf event
// whose CPU has no ticks, because it is idle, and may not start it again when they come.
func (h *Holder) keepGoing() {
	before := uint64(0)
	for {
		select {
		case <-h.closing:
			return
		case <-time.After(2 * h.period):
		}
		n, err := h.Bursts()
		if err != nil {
			h.fault = err
			return
		}
		if n == before {
			period := uint64(h.period)
			if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(h.clock), unix.PERF_EVENT_IOC_PERIOD,
				uintptr(unsafe.Pointer(&period))); errno != 0 {
				h.fault = os.NewSyscallError("start the timer that holds a CPU again: ioctl", errno)
				return
			}
		}
		before = n
	}
}

// Bursts is how often the CPU was held.
func (h *Holder) Bursts() (n uint64, err error) {
	err = h.objects.Bursts.Get(&n)
	return n, err
}

// Close lets the CPU go. Its error says, too, that the CPU was not held to the end. Calling it again
// gives the same answer.
func (h *Holder) Close() error {
	h.closed.Do(func() {
		close(h.closing)
		h.keeper.Wait()
		errs := []error{h.fault}
		if h.hold != nil {
			errs = append(errs, h.hold.Close())
		}
		if h.clock >= 0 {
			errs = append(errs, unix.Close(h.clock))
		}
		h.closeErr = errors.Join(append(errs, h.objects.Close())...)
	})
	return h.closeErr
}
