package nosleep

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/socket/threads"
)

// A CPU that others want is left to them for retreat. So is one that they had for longer
// than starved: else the scheduler, which lets no task starve, would take it from threads
// of real time.
const (
	retreat = 10 * time.Millisecond
	starved = 40 * time.Millisecond
)

// Keep keeps CPUs from sleeping until the claim is closed (host.Claim.StayAwake).
func Keep(c *host.Claim, cpus []int) error { return c.StayAwake(cpus) }

// A process that Keep started is this program again, whatever program that is, and does
// nothing else. It has least priority by its first thread alone (host.Claim.StayAwake),
// which is where it spins.
func init() {
	if len(os.Args) != 3 || os.Args[1] != host.AwakeCommand {
		return
	}
	runtime.LockOSThread()
	cpu, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = stay(cpu)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// stay keeps a CPU from sleeping, for good. It takes root. It says so on standard output
// when it can: a process of least priority might not come to it on a busy CPU.
func stay(cpu int) error {
	w, err := watch()
	if err != nil {
		return fmt.Errorf("see who else wants the CPU: %w", err)
	}
	defer runtime.KeepAlive(w)
	if cpu < 0 || cpu >= len(w.waited) {
		return fmt.Errorf("there is no CPU %d", cpu)
	}
	fmt.Println("awake")
	if err := leastPriority(cpu); err != nil {
		return err
	}
	spin(&w.waited[cpu])
	return nil
}

// schedIdle is the policy SCHED_IDLE of sched(7).
const schedIdle = 5

// leastPriority lets all threads of the process, those of Go's own too, run on one CPU
// alone, and when nothing else wants it.
func leastPriority(cpu int) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			return err
		}
		attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: schedIdle, Nice: 19}
		if err := errors.Join(threads.Pin(tid, cpu), unix.SchedSetAttr(tid, attr, 0)); err != nil {
			return err
		}
	}
	return nil
}

func spin(waited *uint64) {
	last := time.Now()
	for {
		now := time.Now()
		if atomic.LoadUint64(waited) != 0 || now.Sub(last) > starved {
			threads.Sleep(retreat)
			now = time.Now()
		}
		last = now
	}
}

// watcher is a program that is attached as long as it is alive.
type watcher struct {
	objects spinObjects
	link    link.Link
	waited  []uint64 // by CPU, 1 where this process has it while others wait
}

func watch() (*watcher, error) {
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
	w := &watcher{}
	if err := spec.LoadAndAssign(&w.objects, nil); err != nil {
		return nil, err
	}
	if w.link, err = link.AttachTracing(link.TracingOptions{Program: w.objects.OnSwitch}); err != nil {
		return nil, err
	}
	memory, err := unix.Mmap(w.objects.Waited.FD(), 0, 8*possible, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map what the program writes: %w", err)
	}
	w.waited = unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), possible)
	return w, nil
}
