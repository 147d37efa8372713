package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// FreeInstance is a number of two digits whose lock file no process holds. OpenAirInterface's UPFs end at once
// where another process, as one that another upflab has started on this machine, holds the one of their number.
func FreeInstance(lockFile func(instance int) string) int {
	const first, count = 10, 90
	for i := range count {
		if instance := first + (os.Getpid()+i)%count; !locked(lockFile(instance)) {
			return instance
		}
	}
	return first
}

// locked reports whether another process has a lock on a file (lockf(3)).
func locked(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	held := unix.Flock_t{Type: unix.F_WRLCK}
	err = unix.FcntlFlock(f.Fd(), unix.F_GETLK, &held)
	return err == nil && held.Type != unix.F_UNLCK
}
