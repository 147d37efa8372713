// Package host is the machine that upflab runs on: what it is, which CPUs a run
// takes, and what a run owns or changes on it until it ends.
package host

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/atomicfile"
)

// namePrefix starts the name of every namespace a run makes.
const namePrefix = "upflab-"

// RoleUE is the role of the namespace in which users' programs run.
const RoleUE = "ue"

// NamespaceName is what a run calls the namespace of a role.
func NamespaceName(run, role string) string { return namePrefix + run + "-" + role }

// stateDir is where runs write down what they own, before they make it.
const stateDir = "/run/upflab"

// Claim is the written list of what a run owns. Its lock is held as long as the run
// lives; a list whose lock nobody holds belongs to a run that was killed.
type Claim struct {
	list
	lock *os.File

	held     *os.File       // the lock of the run's control group; nil: none was made
	groups   map[int]cgroup // of programs, by process
	programs int            // started so far

	unthrottled *os.File // shows instances with another /run that real-time threads are not limited; nil: they are
	awake       awake
}

// list is what a run owns, in a file that is written before anything is made.
type list struct {
	Run string

	dir  string
	mu   sync.Mutex
	owns owned
}

// NewClaim opens the list of a run. Close it when the run has ended.
func NewClaim(run string) (*Claim, error) { return NewClaimIn(stateDir, run) }

// NewClaimIn does what NewClaim does, with the list in the folder dir.
func NewClaimIn(dir, run string) (*Claim, error) {
	if err := makeStateDir(dir); err != nil {
		return nil, err
	}
	lock, err := newLock(dir, run)
	if err != nil {
		return nil, fmt.Errorf("claim run %s: %w", run, err)
	}
	c := &Claim{lock: lock, groups: map[int]cgroup{}}
	c.Run, c.dir, c.owns.PID = run, dir, os.Getpid()
	if c.owns.Start, err = startTime(c.owns.PID); err == nil {
		err = c.owns.write(dir, run)
	}
	if err != nil {
		return nil, errors.Join(err, removeLists(dir, run), lock.Close())
	}
	return c, nil
}

// makeStateDir makes the folder of the lists, and refuses one that somebody else can
// write to: who can replace a list decides what root removes.
func makeStateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w (root is needed)", dir, err)
	}
	var s unix.Stat_t
	if err := unix.Lstat(dir, &s); err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR || int(s.Uid) != os.Geteuid() || s.Mode&0o022 != 0 {
		return fmt.Errorf("%s is not a folder that only user %d can write to: remove it", dir, os.Geteuid())
	}
	return nil
}

// AddNamespace writes a namespace down, before it is made.
func (l *list) AddNamespace(name string) error {
	return l.add(func(o *owned) { o.Namespaces = append(o.Namespaces, name) })
}

// DropNamespace forgets a namespace that is gone.
func (l *list) DropNamespace(name string) error {
	return l.drop(func(o *owned) { o.dropNamespace(name) })
}

// add changes the list. If it cannot be written nothing has changed, and what was to
// be owned must not be made.
func (l *list) add(f func(*owned)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.owns.clone()
	f(&l.owns)
	err := l.owns.write(l.dir, l.Run)
	if err != nil {
		l.owns = was
	}
	return err
}

// drop takes something off the list that is gone, whether that can be written or not.
func (l *list) drop(f func(*owned)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&l.owns)
	return l.owns.write(l.dir, l.Run)
}

// Abandon lets go of the list as the kernel does when a process is killed: what is on
// it is for CleanStale. It is for tests.
func (c *Claim) Abandon() error {
	c.unthrottled.Close()
	c.held.Close()
	return c.lock.Close()
}

// Close ends the claim. What could not be undone stays on the list, for the next run
// or `upflab clean` to try again.
func (c *Claim) Close() error {
	err := errors.Join(c.awake.end(), c.removeGroup(), c.ReturnHugePages())
	if c.unthrottled != nil {
		err = errors.Join(err, letThrottle(c.dir, c.Run, c.unthrottled))
		c.unthrottled.Close() // an error, where that was done
	}
	err = errors.Join(err, releaseSettings(c.dir, c.Run))
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.owns.nothing() {
		err = removeLists(c.dir, c.Run)
	}
	c.held.Close() // what could not be removed is for the next run
	return errors.Join(err, c.lock.Close())
}

// removeLists removes a run's scratch files and its list, then its lock.
func removeLists(dir, run string) error {
	if err := os.RemoveAll(scratchPath(dir, run)); err != nil {
		return err
	}
	path := listPath(dir, run)
	for _, left := range atomicfile.Leftovers(path) {
		os.Remove(left)
	}
	for _, p := range []string{path, lockPath(dir, run)} {
		if err := os.Remove(p); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func listPath(dir, run string) string { return filepath.Join(dir, run+".json") }

// NewRunID gives a short id for a run: five characters, lower case.
func NewRunID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:])[:5])
}

// Scratch makes a folder for files that are of no use after the run: it is removed with
// the run's list.
func (c *Claim) Scratch() (string, error) {
	dir := scratchPath(c.dir, c.Run)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the run: %w", err)
	}
	return dir, nil
}

func scratchPath(dir, run string) string { return filepath.Join(dir, run+".files") }
