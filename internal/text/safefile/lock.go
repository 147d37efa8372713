package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrLocked says that another process holds a lock.
var ErrLocked = errors.New("another process holds it")

// Lock takes the lock of a file for as long as the file is open, and makes the file where it is not there.
// A child process that inherits the open file holds the lock too. It follows no symbolic link, and only the
// file's owner and root can open it: who may merely read the folder holds no lock. Somebody else's lock is
// ErrLocked; it does not wait for it.
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			break
		}
	}
	switch err {
	case nil:
		return f, nil
	case unix.EWOULDBLOCK:
		err = ErrLocked
	}
	f.Close()
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
