package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Create makes an empty file to be written, with os.O_APPEND where more than one writes to
// it. A file or a symbolic link that is there is removed, neither followed nor written to:
// the folder may be another user's, and root would overwrite what the link names.
func Create(path string, mode os.FileMode, flags ...int) (*os.File, error) {
	root, err := Folder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	flag := os.O_RDWR | os.O_CREATE | os.O_EXCL
	for _, more := range flags {
		flag |= more
	}
	const tries = 3 // somebody may make it again and again
	for try := 1; ; try++ {
		if err := Remove(root, filepath.Base(path)); err != nil {
			return nil, &fs.PathError{Op: "create", Path: path, Err: err}
		}
		f, err := root.OpenFile(filepath.Base(path), flag, mode)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrExist) || try == tries {
			return nil, &fs.PathError{Op: "create", Path: path, Err: unwrapped(err)}
		}
	}
}

// unwrapped is the system's error: the path in it is that of the open folder.
func unwrapped(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Remove removes a file or a symbolic link of a folder so that another one can take its
// place; none is no error. A device, a pipe or a folder stays.
func Remove(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if kind := info.Mode().Type(); kind != 0 && kind != fs.ModeSymlink {
		return ErrNotRegular
	}
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Write makes a file as Create does and writes data to it. Where a reader must never see
// half of it, use atomicfile.
func Write(path string, data []byte, mode os.FileMode) error {
	f, err := Create(path, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// ErrReplaced says that a file is no longer the one that this process's user made.
var ErrReplaced = errors.New("somebody replaced it")

// Reopen opens a file that Create made before, for reading and appending. It refuses a link,
// symbolic or hard, and another user's file.
func Reopen(path string) (*os.File, error) {
	root, err := Folder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrReplaced}
	}
	f, err := root.OpenFile(filepath.Base(path), os.O_RDWR|os.O_APPEND|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &st); err == nil && (st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 ||
		int(st.Uid) != os.Geteuid()) {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrReplaced}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
