package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
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
	err = flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if err == nil && named(f, path) {
		return f, nil
	}
	f.Close()
	if err != nil && !errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("lock the list of run %s: %w", run, err)
	}
	return nil, nil
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
