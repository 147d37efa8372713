package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/upflab/upflab/internal/text/safefile"
)

// DiskFullError says that a file could not be written because the disk is full, on
// which disk, and what became of the file that was there before.
type DiskFullError struct {
	Path     string // the file
	Mount    string // where the full filesystem is mounted
	Needed   int64  // bytes
	Free     int64  // bytes, for this user; -1: unknown
	NoInodes bool   // it has room for no other file, whatever is free
	Intact   bool   // an earlier file of that name is there, whole
	Cause    error  // ENOSPC or EDQUOT
}

// Error says what is full and what to do.
func (e *DiskFullError) Error() string {
	if e.NoInodes {
		return fmt.Sprintf("writing %s: %v: the disk at %s has no inodes left, each file needs one: remove files or write to another disk",
			e.Path, e.Cause, e.Mount)
	}
	free := "unknown space is free"
	if e.Free >= 0 {
		free = fmt.Sprintf("%d bytes are free", e.Free)
	}
	before := "no earlier file was there"
	if e.Intact {
		before = "the earlier file is intact"
	}
	return fmt.Sprintf("writing %s: %v: the disk at %s is full: %d bytes are needed, %s; %s; make room or write to another disk",
		e.Path, e.Cause, e.Mount, e.Needed, free, before)
}

// Unwrap gives the system's error.
func (e *DiskFullError) Unwrap() error { return e.Cause }

// explainWrite makes an error of writing path say what to do about it.
func explainWrite(path string, needed int, err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, full) {
			_, missing := os.Stat(path)
			dir := filepath.Dir(path)
			return &DiskFullError{Path: path, Mount: mountOf(dir), Needed: int64(needed),
				Free: safefile.FreeBytes(dir), NoInodes: full == syscall.ENOSPC && safefile.NoInodes(dir), Intact: missing == nil, Cause: full}
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("writing %s: %w; make the folder first", path, err)
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// mountOf walks up from dir to the folder where its filesystem begins.
func mountOf(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "."
	}
	for dir != "/" && device(filepath.Dir(dir)) == device(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// device is the number of the filesystem that holds path; 0 when unknown.
func device(path string) uint64 {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return 0
	}
	return uint64(st.Dev)
}
