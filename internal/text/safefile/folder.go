package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A symbolic link on the way to a folder is followed when root, the user of this process or
// the one who called sudo made it. Anybody else could lead root to where the link's owner
// may not write.
func trusted(uid uint32) bool {
	caller, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32)
	return uid == 0 || int(uid) == os.Geteuid() || err == nil && os.Geteuid() == 0 && uint64(uid) == caller
}

// linksMost is how many links are followed, as in the kernel.
const linksMost = 40

// Folder opens a folder. Other users' symbolic links on the way are refused, and names
// below it are opened in this folder, whatever becomes of its path.
func Folder(path string) (*os.Root, error) { return walk(path, 0) }

// MakeFolder is Folder, and makes with a mode what is missing on the way.
func MakeFolder(path string, mode os.FileMode) error {
	root, err := walk(path, mode)
	if err != nil {
		return err
	}
	return root.Close()
}

// walk goes to a folder part by part; with a mode it makes those that are missing.
func walk(path string, mode os.FileMode) (*os.Root, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	at, err := openRoot()
	if err != nil {
		return nil, err
	}
	defer func() { unix.Close(at) }()
	links := 0
	for left := parts(whole); len(left) > 0; {
		part := left[0]
		left = left[1:]
		next, target, err := step(at, part, mode)
		if err != nil {
			return nil, &fs.PathError{Op: "open folder", Path: path, Err: err}
		}
		if target == "" {
			unix.Close(at)
			at = next
			continue
		}
		if links++; links > linksMost {
			return nil, &fs.PathError{Op: "open folder", Path: path, Err: unix.ELOOP}
		}
		left = append(parts(target), left...)
		if filepath.IsAbs(target) {
			unix.Close(at)
			if at, err = openRoot(); err != nil {
				return nil, err
			}
		}
	}
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", at))
}

func openRoot() (int, error) { return unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) }

func parts(path string) (list []string) {
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			list = append(list, part)
		}
	}
	return list
}

// step opens one part of a path: a folder, or a link of which it gives the target.
func step(at int, part string, mode os.FileMode) (next int, target string, err error) {
	next, err = unix.Openat(at, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) && mode != 0 {
		if err := unix.Mkdirat(at, part, uint32(mode.Perm())); err != nil && !errors.Is(err, unix.EEXIST) {
			return 0, "", err
		}
		next, err = unix.Openat(at, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return 0, "", err
	}
	var st unix.Stat_t
	if err = unix.Fstat(next, &st); err == nil {
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFDIR:
			return next, "", nil
		case unix.S_IFLNK:
			target, err = follow(next, part, st.Uid)
		default:
			err = unix.ENOTDIR
		}
	}
	unix.Close(next)
	return 0, target, err
}

func follow(link int, name string, uid uint32) (string, error) {
	if !trusted(uid) {
		return "", fmt.Errorf("%s is a symbolic link of user %d, which is not followed: name another folder, or remove the link", name, uid)
	}
	var to [unix.PathMax]byte
	n, err := unix.Readlinkat(link, "", to[:])
	if err == nil && n == 0 {
		err = unix.ENOENT
	}
	return string(to[:n]), err
}

// NoInodes reports whether a folder's disk has room for no other file, however small. Some file systems
// have no such bound.
func NoInodes(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && fs.Files > 0 && fs.Ffree == 0
}

// FreeBytes is the space on a folder's disk that an unprivileged user can still fill; -1 where the
// file system does not report it.
func FreeBytes(dir string) int64 {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return -1
	}
	return int64(fs.Bavail) * int64(fs.Bsize)
}
