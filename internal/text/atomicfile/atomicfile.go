// Package atomicfile replaces files whole: a reader, a crash or a full disk finds the
// old contents or the new.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/upflab/upflab/internal/text/safefile"
)

// Write puts data at path: it writes a new file next to it, syncs it and renames it.
// A symbolic link at path is replaced, not followed; a device or a pipe is refused.
func Write(path string, data []byte, mode os.FileMode) error {
	root, err := safefile.Folder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	name, err := writeTemp(root, filepath.Base(path), data, mode)
	if err == nil {
		err = replace(root, name, filepath.Base(path))
	}
	if err != nil {
		if name != "" {
			root.Remove(name)
		}
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncRoot(root)
}

// replace gives the new file the name of the old one.
func replace(root *os.Root, name, old string) error {
	if info, err := root.Lstat(old); err == nil && info.Mode().Type() != 0 && info.Mode().Type() != fs.ModeSymlink {
		return safefile.ErrNotRegular
	}
	return root.Rename(name, old)
}

// Leftovers are what a Write to path left that was killed half way.
func Leftovers(path string) []string {
	list, _ := filepath.Glob(filepath.Join(filepath.Dir(path), pattern(path)))
	return list
}

func pattern(path string) string { return "." + filepath.Base(path) + "-*" }

// writeTemp writes data to a new file next to the one called base. The name is returned
// with an error, too, when there is a file to remove.
func writeTemp(root *os.Root, base string, data []byte, mode os.FileMode) (string, error) {
	name := "." + base + "-" + rand.Text()
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
	return name, errors.Join(err, f.Close())
}

func syncRoot(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	return syncAndClose(d)
}

// SyncDir makes a rename in dir survive a power cut. A file system that cannot sync a
// folder does not promise that, and is no error.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return syncAndClose(d)
}

func syncAndClose(d *os.File) error {
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
