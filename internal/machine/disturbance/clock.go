package disturbance

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// startClocks starts the clock of each CPU: a perf event of the kernel's own timer,
// which runs the program in hard interrupt context.
func (m *Monitor) startClocks(cpus []int) error {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Sample: uint64(Period), Bits: unix.PerfBitDisabled,
	}
	for _, cpu := range cpus {
		fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			return fmt.Errorf("open a clock on CPU %d: %w", cpu, err)
		}
		m.clocks = append(m.clocks, fd)
		if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, m.objects.OnClock.FD()); err != nil {
			return fmt.Errorf("give the clock of CPU %d its program: %w", cpu, err)
		}
		if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
			return fmt.Errorf("start the clock of CPU %d: %w", cpu, err)
		}
	}
	return nil
}

// restartClocks starts clocks that the kernel has stopped: it throttles a perf event
// whose CPU has no ticks, because it is idle, and does not start it again when they come.
func (m *Monitor) restartClocks(clocks ...int) error {
	period := uint64(Period)
	for _, fd := range clocks {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_PERIOD, uintptr(unsafe.Pointer(&period)))
		if errno != 0 {
			return fmt.Errorf("start a clock again: %w", errno)
		}
	}
	return nil
}

func closeClocks(clocks []int) error {
	var errs []error
	for _, fd := range clocks {
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(errs...)
}
