package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/wait"
)

// A run holds the lock of its list as long as it lives. Only root can open a lock, so
// that no other user can hold one.

func lockPath(dir, run string) string { return filepath.Join(dir, run+".lock") }

// newLock makes and takes the lock of a run; it is os.ErrExist when the run has one.
func newLock(dir, run string) (*os.File, error) {
	path := lockPath(dir, run)
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f, unix.LOCK_EX); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if named(f, path) {
			return f, nil
		}
		f.Close() // somebody who cleaned up took it for a killed run's before it was locked
	}
}

// takeStale takes the lock of a killed run; nil when the run lives or has just ended.
func takeStale(dir, run string) (*os.File, error) {
	path := lockPath(dir, run)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the list of run %s: %w", run, err)
	}
	// A run that was killed may keep it until the kernel has closed its files.
	wait.Until(endWithin, dyingLook, func() bool {
		err = flock(f, unix.LOCK_EX|unix.LOCK_NB)
		return !errors.Is(err, unix.EWOULDBLOCK) || !isDying(dir, run)
	})
	if err == nil && named(f, path) {
		return f, nil
	}
	f.Close()
	if err != nil && !errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("lock the list of run %s: %w", run, err)
	}
	return nil, nil
}

// dyingLook is the interval at which a killed process is checked.
const dyingLook = 10 * time.Millisecond

// isDying reports whether the upflab of a run was killed and is about to end. One with much memory
// keeps its lock for some time after SIGKILL.
func isDying(dir, run string) bool {
	o, err := readOwned(dir, run)
	if err != nil || o.PID == 0 {
		return false
	}
	// For a moment it has taken the signal, and has not begun to end: it is looked at twice.
	return wait.Until(dyingLook, dyingLook, process{o.PID, o.Start}.dying)
}

// dying reports whether SIGKILL waits for a process, or it is about to end: proc(5).
func (p process) dying() bool {
	if !p.alive() {
		return true
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID))
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		if mask, err := strconv.ParseUint(value, 16, 64); (name == "SigPnd" || name == "ShdPnd") && err == nil &&
			mask&(1<<(unix.SIGKILL-1)) != 0 {
			return true
		}
	}
	fields, err := statFields(p.PID)
	if err != nil {
		return true // it has ended meanwhile
	}
	const state, flags = 0, 9 - 3 // fields begin with the third
	set, _ := strconv.ParseUint(fields[flags], 10, 64)
	const exiting = 0x4 // PF_EXITING of the kernel's sched.h
	return set&exiting != 0 || fields[state] == "Z" || fields[state] == "X"
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// named reports whether the path still names the open file.
func named(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(open, now)
}
