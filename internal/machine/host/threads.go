package host

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// thread is how the kernel schedules a NAPI thread.
type thread struct {
	process
	Policy   uint32 `json:"policy"`
	Priority uint32 `json:"priority"`
	Nice     int32  `json:"nice"`
	CPUs     []int  `json:"cpus"`
}

// napiThreads are those of a port, as they are.
func napiThreads(p *netdev.Port) (list []thread, err error) {
	pids, err := p.NAPI().Threads()
	if err != nil {
		return nil, err
	}
	for _, pid := range pids {
		t, err := threadNow(pid)
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read how NAPI thread %d of %s is scheduled: %w", pid, p.Name, err)
		}
		list = append(list, t)
	}
	return list, nil
}

func threadNow(pid int) (t thread, err error) {
	t.PID = pid
	if t.Start, err = startTime(pid); err != nil {
		return t, err
	}
	attr, err := unix.SchedGetAttr(pid, 0)
	if err != nil {
		return t, err
	}
	t.Policy, t.Priority, t.Nice = attr.Policy, attr.Priority, attr.Nice
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &set); err != nil {
		return t, err
	}
	t.CPUs = cpusOf(&set)
	return t, nil
}

// restoreThreads schedules the NAPI threads of a port as they were; those that are new
// as the kernel schedules new ones.
func restoreThreads(p *netdev.Port, before []thread) error {
	now, err := napiThreads(p)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range now {
		want := thread{process: t.process, Policy: unix.SCHED_NORMAL}
		for _, was := range before {
			if was.process == t.process {
				want = was
			}
		}
		if err := want.apply(); err != nil && !gone(err) {
			errs = append(errs, fmt.Errorf("schedule NAPI thread %d of %s as before: %w", t.PID, p.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (t thread) apply() error {
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: t.Policy, Priority: t.Priority, Nice: t.Nice}
	if err := unix.SchedSetAttr(t.PID, attr, 0); err != nil {
		return err
	}
	var set unix.CPUSet
	set.Fill()
	if len(t.CPUs) > 0 {
		set.Zero()
		for _, cpu := range t.CPUs {
			set.Set(cpu)
		}
	}
	return unix.SchedSetaffinity(t.PID, &set)
}

func cpusOf(set *unix.CPUSet) (cpus []int) {
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			cpus = append(cpus, i)
		}
	}
	return cpus
}

// firstPIDNamespace is the one that sees all processes (PROC_PID_INIT_INO of the kernel).
const firstPIDNamespace = "pid:[4026531836]"

// OtherUserTime is how long all processes but ours and their children ran outside the
// kernel so far, with those of their children that have ended. In a container not all can
// be seen: known is then false.
func OtherUserTime(ours ...int) (sum time.Duration, known bool, err error) {
	if ns, err := os.Readlink("/proc/self/ns/pid"); err != nil || ns != firstPIDNamespace {
		return 0, false, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, false, err
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		own, err := userTime(pid)
		if err != nil {
			return 0, false, err
		}
		sum += own
	}
	own, err := UserTime(ours...)
	return sum - own, true, err
}

// TrafficThread is the name of threads that send or receive a trial's packets: what
// disturbs a trial is told by it from what belongs to it.
const TrafficThread = "upflab-traffic"

// NameThread names the calling thread, in at most 15 octets. It should be locked, and
// end with its work.
func NameThread(name string) error {
	b, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(b)), 0, 0, 0); err != nil {
		return fmt.Errorf("name the thread %s: %w", name, err)
	}
	return nil
}
