// Package safefile opens files in folders that somebody else may have prepared: what is
// written is a new file, whatever was there before, and what is read has a limit.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrTooLarge says that a file has more bytes than its kind may have.
var ErrTooLarge = errors.New("it is too large")

// ErrNotRegular says that a path names a folder, a device, a pipe or a socket.
var ErrNotRegular = errors.New("it is not a regular file")

// Open opens a regular file to be read. It does not wait for a pipe's writer. flags are further
// ones of open(2): O_NOFOLLOW refuses a link.
func Open(path string, flags int) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|flags, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Read reads a regular file of at most so many bytes. It does not wait for a pipe's writer.
// A larger file is an ErrTooLarge, of which nothing is read.
func Read(path string, most int64) ([]byte, error) {
	f, info, err := Open(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, tooLarge(path, info.Size(), most)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1)) // it may grow meanwhile
	if int64(len(data)) > most {
		return nil, tooLarge(path, int64(len(data)), most)
	}
	return data, err
}

func tooLarge(path string, size, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: %d bytes, and %d are the most", ErrTooLarge, size, most)}
}
