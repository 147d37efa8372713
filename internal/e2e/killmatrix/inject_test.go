//go:build linux && amd64

package killmatrix

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// injection is what happens at the Nth system call that changes the machine.
type injection struct {
	what string // "SIGKILL", "SIGHUP", "ENOSPC", or "" to count
	at   int
}

// changing are the system calls that change the machine, or may.
var changing = map[uint64]string{
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64", unix.SYS_OPENAT: "openat",
	unix.SYS_SENDTO: "sendto", unix.SYS_SENDMSG: "sendmsg", unix.SYS_IOCTL: "ioctl", unix.SYS_BPF: "bpf",
	unix.SYS_MOUNT: "mount", unix.SYS_UMOUNT2: "umount2", unix.SYS_UNSHARE: "unshare", unix.SYS_SETNS: "setns",
	unix.SYS_UNLINK: "unlink", unix.SYS_UNLINKAT: "unlinkat", unix.SYS_RENAME: "rename", unix.SYS_RENAMEAT: "renameat",
	unix.SYS_RENAMEAT2: "renameat2", unix.SYS_MKDIRAT: "mkdirat", unix.SYS_MKDIR: "mkdir", unix.SYS_FTRUNCATE: "ftruncate",
	unix.SYS_FSYNC: "fsync", unix.SYS_FLOCK: "flock", unix.SYS_FCHMOD: "fchmod", unix.SYS_EXECVE: "execve",
	unix.SYS_SCHED_SETATTR: "sched_setattr", unix.SYS_SCHED_SETAFFINITY: "sched_setaffinity", unix.SYS_SETPRIORITY: "setpriority",
	unix.SYS_PIDFD_SEND_SIGNAL: "pidfd_send_signal", unix.SYS_KILL: "kill",
}

// outcome is what the tracer saw.
type outcome struct {
	points int    // system calls that change the machine
	call   string // where the injection was
	status unix.WaitStatus
}

// tracer runs a process under ptrace. Its methods are called on one locked thread.
type tracer struct {
	pid    int
	inject injection
	seen   outcome
	inside map[int]bool // threads that are in a system call
	fail   map[int]bool // threads whose call is to fail
}

// trace runs a stopped process, started with Ptrace, to its end.
func trace(pid int, inject injection) (outcome, error) {
	t := &tracer{pid: pid, inject: inject, inside: map[int]bool{}, fail: map[int]bool{}}
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil {
		return t.seen, err
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
		unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(pid, options); err != nil {
		return t.seen, err
	}
	if err := unix.PtraceSyscall(pid, 0); err != nil {
		return t.seen, err
	}
	for {
		tid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return t.seen, err
		}
		if tid == pid && (status.Exited() || status.Signaled()) {
			t.seen.status = status
			return t.seen, nil
		}
		if status.Stopped() {
			t.stopped(tid, status)
		}
	}
}

// stopped deals with a thread that stopped, and lets it go on.
func (t *tracer) stopped(tid int, status unix.WaitStatus) {
	signal := 0
	switch s := status.StopSignal(); {
	case s == unix.SIGTRAP|0x80:
		t.systemCall(tid)
	case s == unix.SIGTRAP && status.TrapCause() > 0: // clone, fork: the new thread comes by itself
	case s == unix.SIGSTOP && !t.inside[tid] && t.isNew(tid):
		if !t.ofVictim(tid) {
			unix.PtraceDetach(tid) // a program that the victim starts
			return
		}
	default:
		signal = int(s)
	}
	unix.PtraceSyscall(tid, signal) // a thread that was killed is waited for
}

// isNew reports whether a thread stops for the first time.
func (t *tracer) isNew(tid int) bool {
	_, known := t.inside[tid]
	return !known && tid != t.pid
}

func (t *tracer) ofVictim(tid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", t.pid, tid))
	return err == nil
}

// systemCall is the entry or the exit of one.
func (t *tracer) systemCall(tid int) {
	var regs unix.PtraceRegs
	if unix.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	entry := !t.inside[tid]
	t.inside[tid] = entry
	if !entry && t.fail[tid] {
		delete(t.fail, tid)
		enospc := int64(unix.ENOSPC)
		regs.Rax = uint64(-enospc)
		unix.PtraceSetRegs(tid, &regs)
		return
	}
	name, ok := changing[regs.Orig_rax]
	if !ok || !t.counts(tid, &regs) {
		return
	}
	if t.inject.what == "ENOSPC" && entry {
		if t.point(name, tid, &regs) {
			t.fail[tid] = true
			regs.Orig_rax = ^uint64(0) // no such call
			unix.PtraceSetRegs(tid, &regs)
		}
		return
	}
	if t.inject.what != "ENOSPC" && !entry && t.point(name, tid, &regs) {
		switch t.inject.what {
		case "SIGKILL":
			unix.Kill(t.pid, unix.SIGKILL)
		case "SIGHUP":
			unix.Kill(t.pid, unix.SIGHUP)
		}
	}
}

// point counts, and reports whether this is the one.
func (t *tracer) point(name string, tid int, regs *unix.PtraceRegs) bool {
	t.seen.points++
	if t.inject.what == "" || t.seen.points != t.inject.at {
		return false
	}
	target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, regs.Rdi))
	t.seen.call = strings.TrimSpace(name + " " + target)
	return true
}

// counts leaves out what cannot change the machine: files opened to be read, and the
// runtime's own pipes.
func (t *tracer) counts(tid int, regs *unix.PtraceRegs) bool {
	switch regs.Orig_rax {
	case unix.SYS_OPENAT:
		return regs.Rdx&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT) != 0
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, regs.Rdi))
		return !strings.HasPrefix(target, "pipe:") && !strings.HasPrefix(target, "anon_inode:")
	}
	return true
}
