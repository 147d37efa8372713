package process

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// FreeInstance is a number of two digits whose lock file in a folder no process holds, and the file.
// OpenAirInterface's UPFs, whose folder is /var/run, end at once where another process, as one that another
// upflab has started on this machine, holds the one of their number.
func FreeInstance(dir, program string) (instance int, lockFile string) {
	const first, count = 10, 90
	file := func(n int) string { return filepath.Join(dir, fmt.Sprintf("%s%d.pid", filepath.Base(program), n)) }
	for i := range count {
		if n := first + (os.Getpid()+i)%count; !locked(file(n)) {
			return n, file(n)
		}
	}
	return first, file(first)
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
