// Package atomicfile replaces files whole: a reader, a crash or a full disk finds the
// old contents or the new.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Write puts data at path: it writes a new file next to it, syncs it and renames it.
// A symbolic link at path is replaced, not followed.
func Write(path string, data []byte, mode os.FileMode) error {
	temp, err := writeTemp(path, data, mode)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		if temp != "" {
			os.Remove(temp)
		}
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// Leftovers are what a Write to path left that was killed half way.
func Leftovers(path string) []string {
	list, _ := filepath.Glob(filepath.Join(filepath.Dir(path), pattern(path)))
	return list
}

func pattern(path string) string { return "." + filepath.Base(path) + "-*" }

// writeTemp writes data to a new file in the folder of path. The name is returned
// with an error, too, when there is a file to remove.
func writeTemp(path string, data []byte, mode os.FileMode) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), pattern(path))
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return f.Name(), errors.Join(err, f.Close())
}

// SyncDir makes a rename in dir survive a power cut. A file system that cannot sync a
// folder does not promise that, and is no error.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
