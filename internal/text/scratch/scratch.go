// Package scratch makes temporary folders that go with their process. One that was killed leaves its folder to
// whoever cleans up next, who removes what it can prove to be such a folder, and nothing by its name alone.
package scratch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/text/safefile"
)

// Every folder is below os.TempDir, has a name of upflab-KIND-NUMBER, and belongs to the user of its process. It
// has a file with the mark, which belongs to that user, too, and which the process keeps locked.
const (
	prefix   = "upflab-"
	markFile = ".upflab-scratch"
	mark     = "A temporary folder of upflab. `upflab clean` removes it once its process has ended.\n"
)

// Folder is a temporary folder in use.
type Folder struct {
	// Path is where it is; only its user can write to it.
	Path string
	root *os.Root
	lock *os.File
}

// New makes a folder of a kind, such as "bench". Close removes it.
func New(kind string) (f *Folder, err error) {
	f = &Folder{}
	if f.Path, err = os.MkdirTemp("", prefix+kind+"-"); err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	if f.root, err = os.OpenRoot(f.Path); err == nil {
		f.lock, err = claim(f.root)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make the temporary folder %s: %w", f.Path, err), f.Close())
	}
	return f, nil
}

// IsName reports whether a path is one that New may give a folder of the kind, with or without its links resolved.
func IsName(path, kind string) bool {
	if !strings.HasPrefix(filepath.Base(path), prefix+kind+"-") {
		return false
	}
	dir, top := filepath.Dir(path), filepath.Clean(os.TempDir())
	resolved, err := filepath.EvalSymlinks(top)
	return dir == top || err == nil && dir == resolved
}

// claim takes the lock before the mark is written: a folder without a mark is nobody's to remove.
func claim(root *os.Root) (lock *os.File, err error) {
	if lock, err = safefile.LockNew(root, markFile); err != nil {
		return nil, err
	}
	if _, err = io.WriteString(lock, mark); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// Close removes the folder with all that is in it.
func (f *Folder) Close() error {
	if f.root == nil {
		return os.Remove(f.Path)
	}
	err := remove(f.root, f.Path)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return errors.Join(err, f.root.Close())
}

// Abandon leaves the folder as the end of the process would, for Clean.
func (f *Folder) Abandon() error { return errors.Join(f.lock.Close(), f.root.Close()) }

// Clean removes the folders of this user's processes that have ended, and lists them. Whatever is not proven to
// be one stays, and is no error.
func Clean() (removed []string, err error) {
	top, err := safefile.Folder(os.TempDir())
	if err != nil {
		return nil, nil // there is nothing then, or it is somebody else's
	}
	defer top.Close()
	names, err := namesIn(top)
	if err != nil {
		return nil, fmt.Errorf("look for temporary folders in %s: %w", os.TempDir(), err)
	}
	var errs []error
	for _, name := range names {
		was, err := cleanOne(top, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("remove what a killed process left in %s: %w", filepath.Join(os.TempDir(), name), err))
		} else if was {
			removed = append(removed, filepath.Join(os.TempDir(), name))
		}
	}
	return removed, errors.Join(errs...)
}

// namesIn lists what may be such folders.
func namesIn(top *os.Root) (names []string, err error) {
	dir, err := top.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	all, err := dir.Readdirnames(-1)
	for _, name := range all {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, err
}

// cleanOne removes a folder, if it is one of a process that has ended. What it removes is in the folder that was
// looked at, whatever becomes of its name.
func cleanOne(top *os.Root, name string) (was bool, err error) {
	info, err := top.Lstat(name)
	if err != nil || !info.IsDir() || !safefile.IsOwn(info) {
		return false, nil
	}
	root, err := top.OpenRoot(name)
	if err != nil {
		return false, nil
	}
	defer root.Close()
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		return false, nil
	}
	lock, err := safefile.LockOwn(root, markFile)
	if err != nil {
		return false, nil // in use, or none of ours
	}
	defer lock.Close()
	if text, err := io.ReadAll(io.LimitReader(lock, int64(len(mark))+1)); err != nil || string(text) != mark {
		return false, nil
	}
	return true, errors.Join(empty(root), top.Remove(name))
}

// remove removes an open folder. Its name goes only where it is empty.
func remove(root *os.Root, path string) error { return errors.Join(empty(root), os.Remove(path)) }

// empty removes all that is in a folder, the mark last: what is left after an error can be removed later.
func empty(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	errs := []error{err}
	for _, name := range names {
		if name != markFile {
			errs = append(errs, root.RemoveAll(name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return root.RemoveAll(markFile)
}
