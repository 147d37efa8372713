// Package hold disturbs a CPU on purpose: it keeps it in a hard interrupt, where
// nothing else runs. It is for tests of what finds disturbances.
package hold

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -idirafter /usr/include/x86_64-linux-gnu" hold hold.bpf.c

// Holder is a CPU that is held from time to time, from Begin until Close.
type Holder struct {
	objects holdObjects
	clock   int
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

// Begin holds the CPU of a Holder that was loaded, at once.
func (h *Holder) Begin() error {
	if err := unix.IoctlSetInt(h.clock, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
		return fmt.Errorf("hold a CPU: %w", err)
	}
	return nil
}

// Load is Start without the beginning: loading may take seconds on a busy machine.
func Load(cpu int, length, period time.Duration) (*Holder, error) {
	spec, err := loadHold()
	if err != nil {
		return nil, err
	}
	h := &Holder{clock: -1}
	if err := spec.Variables[holdVarLength].Set(uint64(length)); err != nil {
		return nil, err
	}
	if err := spec.LoadAndAssign(&h.objects, nil); err != nil {
		return nil, fmt.Errorf("load the program that holds a CPU: %w", err)
	}
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Sample: uint64(period), Bits: unix.PerfBitDisabled,
	}
	if h.clock, err = unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC); err == nil {
		err = unix.IoctlSetInt(h.clock, unix.PERF_EVENT_IOC_SET_BPF, h.objects.Hold.FD())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold CPU %d: %w", cpu, err), h.Close())
	}
	return h, nil
}

// Bursts is how often the CPU was held.
func (h *Holder) Bursts() (n uint64, err error) {
	err = h.objects.Bursts.Lookup(uint32(0), &n)
	return n, err
}

// Close lets the CPU go.
func (h *Holder) Close() error {
	var errs []error
	if h.clock >= 0 {
		errs = append(errs, unix.Close(h.clock))
	}
	return errors.Join(append(errs, h.objects.Close())...)
}
