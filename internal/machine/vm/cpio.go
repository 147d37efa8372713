package vm

import (
	"fmt"
	"io"
)

// archive writes an initramfs: a cpio archive in the format newc, which the kernel unpacks
// (Documentation/driver-api/early-userspace/buffer-format.rst). The first error ends it.
type archive struct {
	to    io.Writer
	files int
	err   error
}

// The types of files in an archive, as in st_mode.
const (
	typeFolder = 0o040000
	typeFile   = 0o100000
)

// folder adds an empty folder, whose parent was added before.
func (a *archive) folder(path string) { a.entry(path, typeFolder|0o755, 0) }

// file adds a file of size bytes.
func (a *archive) file(path string, permissions uint32, size int64, content io.Reader) {
	a.entry(path, typeFile|permissions, size)
	if a.err == nil {
		_, a.err = io.CopyN(a.to, content, size)
	}
	a.pad(size)
}

// end writes the trailer.
func (a *archive) end() error {
	a.files = 0
	a.entry("TRAILER!!!", 0, 0)
	return a.err
}

// headerSize of newc: a magic and 13 fields of eight digits.
const headerSize = 6 + 13*8

// entry writes a header, whose fields are inode, mode, uid, gid, links, mtime, size of the content, device of the file,
// device that the file is, size of the name with its zero, and an unused checksum.
func (a *archive) entry(name string, mode uint32, size int64) {
	links := 1
	if mode&typeFolder != 0 {
		links = 2
	}
	a.printf("070701")
	for _, field := range []int64{int64(a.files), int64(mode), 0, 0, int64(links), 0, size, 0, 0, 0, 0, int64(len(name) + 1), 0} {
		a.printf("%08X", field)
	}
	a.printf("%s\x00", name)
	a.pad(int64(headerSize + len(name) + 1))
	a.files++
}

// pad fills up what was written, size bytes, to a multiple of 4.
func (a *archive) pad(size int64) { a.printf("%s", "\x00\x00\x00"[:-size&3]) }

func (a *archive) printf(format string, args ...any) {
	if a.err == nil {
		_, a.err = fmt.Fprintf(a.to, format, args...)
	}
}
