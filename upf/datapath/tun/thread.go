package tun

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/napi"
)

// giveThreads has a device's packets forwarded by kernel threads, one for each queue,
// on the calling thread's CPUs: what was written together goes on together. Else
// each packet is forwarded inside its write. Linux 5.12 or later is needed, and the right to
// mount.
func giveThreads(device string) error {
	var cpus unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cpus); err != nil {
		return err
	}
	others, err := napi.Threads(device) // of another namespace's device
	if err != nil {
		return err
	}
	namespace, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer namespace.Close()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends, and with it what it has mounted
		done <- makeThreaded(device, int(namespace.Fd()))
	}()
	if err := <-done; err != nil {
		return err
	}
	all, err := napi.Threads(device)
	if err != nil {
		return err
	}
	ours := slices.DeleteFunc(all, func(pid int) bool { return slices.Contains(others, pid) })
	if len(ours) == 0 {
		return errors.New("the kernel shows no threads of " + device)
	}
	for _, pid := range ours {
		if err := errors.Join(unix.SchedSetaffinity(pid, &cpus), unix.SchedSetAttr(pid, batch, 0)); err != nil {
			return fmt.Errorf("kernel thread %d of %s: %w", pid, device, err)
		}
	}
	return nil
}

// batch has a thread that wakes up wait until who runs on its CPU sleeps or has had its time: a
// worker that was interrupted after each few packets would never have a batch together.
var batch = &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH}

// makeThreaded writes to sysfs, a fresh one: /sys may show the devices of another namespace
// than the one that is given.
func makeThreaded(device string, namespace int) error {
	if err := unix.Setns(namespace, unix.CLONE_NEWNET); err != nil {
		return err
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil && err != unix.EBUSY { // it is the namespace's already
		return err
	}
	return os.WriteFile("/sys/class/net/"+device+"/threaded", []byte("1"), 0)
}
