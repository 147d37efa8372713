package awake

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/host"
)

// retreat is how long a CPU is left alone that others want. starved is for how long others had it
// then: to ask for it all the same would make the scheduler, which sees that nobody
// starves, take it from threads of real time.
const (
	starved = 40 * time.Millisecond
	retreat = 10 * time.Millisecond
)

// A process that upflab starts for this has least priority by its first thread alone:
// those that it starts later are in a group of the scheduler's with others' weight.
func init() {
	if len(os.Args) > 1 && os.Args[1] == host.AwakeCommand {
		runtime.LockOSThread()
	}
}

// Spin keeps the CPU that the process is pinned to from sleeping, for good. It takes root.
func Spin(cpu int) error {
	waited, err := watch()
	if err != nil {
		return fmt.Errorf("see who else wants the CPU: %w", err)
	}
	if cpu < 0 || cpu >= len(waited) {
		return fmt.Errorf("there is no CPU %d", cpu)
	}
	spin(&waited[cpu])
	return nil
}

func spin(waited *uint64) {
	last := time.Now()
	for {
		now := time.Now()
		if atomic.LoadUint64(waited) != 0 || now.Sub(last) > starved {
			sleep(retreat)
			now = time.Now()
		}
		last = now
	}
}

// sleep does without Go's scheduler, whose other threads would run for it on the same CPU.
func sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0) // woken early or not
}

// watch attaches the program, as long as the process lives. The result is, by CPU, 1 where
// this process has it while others wait.
func watch() ([]uint64, error) {
	spec, err := loadSpin()
	if err != nil {
		return nil, err
	}
	possible, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, err
	}
	spec.Maps[spinMapWaited].MaxEntries = uint32(possible)
	if err := spec.Variables[spinVarSelf].Set(uint32(os.Getpid())); err != nil {
		return nil, err
	}
	var objects spinObjects
	if err := spec.LoadAndAssign(&objects, nil); err != nil {
		return nil, err
	}
	attached, err := link.AttachTracing(link.TracingOptions{Program: objects.OnSwitch})
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(attached, nil) // nobody closes it
	memory, err := unix.Mmap(objects.Waited.FD(), 0, 8*possible, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map what the program writes: %w", err)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), possible), nil
}
