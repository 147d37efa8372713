// Package journal keeps values by key in a file, so that they are there after the
// process was killed: each change is one line, written before the caller goes on. A
// change is not synced to disk: it survives the process, not the machine.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/safefile"
)

// Journal is an open journal. Its methods may be called from any goroutine.
type Journal struct {
	dir    string
	lock   *os.File
	failed func(error)

	mu    sync.Mutex
	file  *os.File
	live  map[string]span // the lines that hold
	size  int64           // of the file
	waste int64           // of lines that hold no more
}

// Held is what a journal holds when it is opened.
type Held struct {
	Values map[string]json.RawMessage
	// Damaged counts the keys whose newest record could not be read, which are not in Values, since an older value
	// would be wrong, and the records without a readable key.
	Damaged int
}

// span is where a line is.
type span struct {
	at     int64
	length int
}

// line is a change: no value forgets the key.
type line struct {
	Key   string          `json:"k"`
	Value json.RawMessage `json:"v,omitempty"`
}

// fileName is the journal's, in its folder.
const fileName = "sessions.journal"

// Open opens the journal in a folder, which it makes, and gives what it holds. failed is
// called for a change that could not be written, from whoever made it. No other process
// can open it until Close.
func Open(dir string, failed func(error)) (*Journal, Held, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, Held{}, fmt.Errorf("make the folder of the state: %w", err)
	}
	if err := private(dir); err != nil {
		return nil, Held{}, err
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, Held{}, err
	}
	j := &Journal{dir: dir, lock: lock, failed: failed, live: map[string]span{}}
	held, err := j.load()
	if err != nil {
		return nil, Held{}, errors.Join(fmt.Errorf("read the state in %s: %w", dir, err), lock.Close())
	}
	return j, held, nil
}

// private refuses a folder that others could read or write to, or could give to others: who
// writes there makes sessions.
func private(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("look at the folder of the state: %w", err)
	}
	switch mode := st.Mode & 0o7777; {
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return fmt.Errorf("state.directory %s is no folder, or a symbolic link to one: name the folder itself", dir)
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("state.directory %s belongs to user %d, and this is user %d: who owns it could make and "+
			"read sessions; name a folder of the UPF's own, which it makes", dir, st.Uid, os.Geteuid())
	case mode&0o077 != 0:
		return fmt.Errorf("state.directory %s has mode %04o: others could make and read sessions; `chmod 0700 %s` "+
			"if it is the UPF's alone, or name a folder that is not there yet", dir, mode, dir)
	}
	return nil
}

func lockFile(path string) (*os.File, error) {
	f, err := safefile.Lock(path)
	switch {
	case errors.Is(err, safefile.ErrLocked):
		return nil, fmt.Errorf("%s is locked: another UPF runs with this state.directory: end it, or choose another folder", path)
	case err != nil:
		return nil, fmt.Errorf("take the lock of the state: %w", err)
	}
	return f, nil
}

// Put keeps a value, which is encoded as JSON.
func (j *Journal) Put(key string, value any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = j.write(line{key, text})
	}
	j.report(key, err)
}

// Forget drops a key.
func (j *Journal) Forget(key string) {
	j.mu.Lock()
	_, has := j.live[key]
	j.mu.Unlock()
	if has {
		j.report(key, j.write(line{Key: key}))
	}
}

func (j *Journal) report(key string, err error) {
	if err != nil && j.failed != nil {
		j.failed(fmt.Errorf("keep %s: %w", key, err))
	}
}

func (j *Journal) write(l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	text = sealed(text)
	j.mu.Lock()
	defer j.mu.Unlock()
	n, err := j.file.WriteAt(text, j.size)
	if err != nil {
		if n > 0 {
			err = errors.Join(err, j.file.Truncate(j.size))
		}
		return err
	}
	j.note(l, span{j.size, n})
	j.size += int64(n)
	return j.maybeCompact()
}

// note enters a line that was written or read.
func (j *Journal) note(l line, where span) {
	if old, has := j.live[l.Key]; has {
		j.waste += int64(old.length)
	}
	if l.Value == nil {
		j.waste += int64(where.length)
		delete(j.live, l.Key)
		return
	}
	j.live[l.Key] = where
}

// Close ends the use of the journal, which stays for a later process.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.file.Close(), j.lock.Close())
}

// Remove ends the use of the journal and removes it.
func (j *Journal) Remove() error {
	err := errors.Join(os.Remove(j.path()), os.Remove(filepath.Join(j.dir, "lock")))
	return errors.Join(err, j.Close())
}

func (j *Journal) path() string { return filepath.Join(j.dir, fileName) }
