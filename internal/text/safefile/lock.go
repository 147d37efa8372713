package safefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

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
	return locked(f, unix.LOCK_EX|unix.LOCK_NB)
}

// LockNew makes a file in a folder and takes its lock, for which it waits: somebody who looks at it may have it for
// a moment. A file that is there is fs.ErrExist.
func LockNew(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return locked(f, unix.LOCK_EX)
}

// LockOwn takes the lock of a file that is there and that only this process's user can have made and locked: a
// regular file of theirs, with one name, which nobody else may open. It makes nothing. A file that is none of that
// is ErrReplaced.
func LockOwn(root *os.Root, name string) (*os.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "lock", Path: name, Err: ErrReplaced}
	}
	f, err := root.OpenFile(name, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil && (!os.SameFile(info, opened) || !IsOwn(opened) || opened.Mode().Perm() != 0o600 ||
		opened.Sys().(*syscall.Stat_t).Nlink != 1) {
		err = &fs.PathError{Op: "lock", Path: name, Err: ErrReplaced}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return locked(f, unix.LOCK_EX|unix.LOCK_NB)
}

// IsOwn reports whether a file or folder belongs to this process's user.
func IsOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// locked takes the lock of an open file, which it closes where that fails.
func locked(f *os.File, how int) (*os.File, error) {
	var err error
	for {
		if err = unix.Flock(int(f.Fd()), how); err != unix.EINTR {
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
	return nil, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
