package client

import (
	"errors"
	"io/fs"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBlame: what the client's host has too little of is no reason to measure a job again.
func TestBlame(t *testing.T) {
	for errno, refused := range map[unix.Errno]bool{
		unix.ENOSPC: false, unix.EMFILE: false, unix.ENFILE: false, unix.ENOMEM: false, unix.EACCES: false,
		unix.ENAMETOOLONG: true, unix.ENOTDIR: true, unix.EISDIR: true,
	} {
		var of refusedError
		if err := blame(&fs.PathError{Op: "open", Path: "result", Err: errno}); errors.As(err, &of) != refused {
			t.Errorf("%v: %v", errno, err)
		}
	}
	if err := blame(nil); err != nil {
		t.Error(err)
	}
}
