package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Writable reports why no file can be made in a folder, which need not be there yet; nil: one can.
// It finds out by making a folder in the nearest one that is there, and removing it at once.
func Writable(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return &fs.PathError{Op: "write into", Path: dir, Err: syscall.ENOTDIR}
		}
		if err == nil {
			break
		}
		if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}
		return err
	}
	made, err := os.MkdirTemp(dir, ".upflab-*")
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		if errors.Is(err, fs.ErrNotExist) { // the folder is there
			err = errors.New("its file system takes no new files")
		}
		return fmt.Errorf("write into %s: %w", dir, err)
	}
	return os.Remove(made)
}
