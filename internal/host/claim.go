// Package host is the machine that upflab runs on: what it is, which CPUs a run
// takes, and what a run owns or changes on it until it ends.
package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/netdev"
)

// namePrefix starts the name of every namespace a run makes.
const namePrefix = "upflab-"

// NamespaceName is what a run calls the namespace of a role.
func NamespaceName(run, role string) string { return namePrefix + run + "-" + role }

// stateDir is where runs write down what they own, before they make it.
const stateDir = "/run/upflab"

// Claim is the written list of what a run owns. Its file is locked as long as
// the run lives; a file that nobody locks belongs to a run that was killed.
type Claim struct {
	Run string

	mu   sync.Mutex
	file *os.File
	path string
	owns owned

	awake *os.File // the request that CPUs do not sleep; nil: none
}

// owned is what the file says.
type owned struct {
	PID        int         `json:"pid"`
	Namespaces []string    `json:"namespaces"`
	Processes  []process   `json:"processes"`
	Containers []container `json:"containers,omitempty"`
	Devices    []device    `json:"devices,omitempty"`    // of the host, in our namespaces
	HugePages  int         `json:"huge_pages,omitempty"` // added to the machine's
	Priority   *priority   `json:"priority,omitempty"`   // of our session before the run
	RTRuntime  int         `json:"rt_runtime,omitempty"` // the machine's limit before the run; 0: unchanged
}

// NewClaim opens the list of a run. Close it when the run has ended.
func NewClaim(run string) (*Claim, error) { return NewClaimIn(stateDir, run) }

// NewClaimIn is NewClaim with the list in a folder of the caller's.
func NewClaimIn(dir, run string) (*Claim, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make %s: %w (root is needed)", dir, err)
	}
	path := filepath.Join(dir, run+".json")
	f, err := lockedFile(path)
	if err != nil {
		return nil, fmt.Errorf("claim run %s: %w", run, err)
	}
	c := &Claim{Run: run, file: f, path: path, owns: owned{PID: os.Getpid()}}
	return c, c.write()
}

// lockedFile makes a file that is locked from the moment it has its name, so
// that nobody takes it for one that a killed run left.
func lockedFile(path string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".claim-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := f.Chmod(0o644); err != nil { // for upflab doctor, which is no root
		return nil, errors.Join(err, f.Close())
	}
	if err := os.Link(f.Name(), path); err != nil { // fails when the name is taken
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// AddNamespace writes a namespace down, before it is made.
func (c *Claim) AddNamespace(name string) error {
	return c.change(func(o *owned) { o.Namespaces = append(o.Namespaces, name) })
}

// DropNamespace forgets a namespace that is gone.
func (c *Claim) DropNamespace(name string) error {
	return c.change(func(o *owned) {
		o.Namespaces = slices.DeleteFunc(o.Namespaces, func(n string) bool { return n == name })
	})
}

func (c *Claim) change(f func(*owned)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.owns)
	return c.write()
}

func (c *Claim) write() error {
	b, err := json.Marshal(c.owns)
	if err != nil {
		return err
	}
	if err := c.file.Truncate(0); err != nil {
		return fmt.Errorf("write %s: %w", c.path, err)
	}
	if _, err := c.file.WriteAt(b, 0); err != nil {
		return fmt.Errorf("write %s: %w", c.path, err)
	}
	return nil
}

// Abandon lets go of the list as the kernel does when a process is killed: what is on
// it is for CleanStale. It is for tests.
func (c *Claim) Abandon() error { return c.file.Close() }

// Close ends the claim. What could not be removed stays on the list, for the next run
// or `upflab clean` to try again.
func (c *Claim) Close() error {
	err := errors.Join(c.returnPriority(), c.restoreRTLimit(), c.allowSleep())
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.owns.nothing() {
		err = os.Remove(c.path)
	}
	return errors.Join(err, c.file.Close())
}

func (o owned) nothing() bool {
	return len(o.Namespaces)+len(o.alive())+len(o.Containers)+len(o.Devices)+o.HugePages == 0
}

// CleanStale removes what killed runs left and tells what that was.
func CleanStale() (removed []string, err error) { return CleanStaleIn(stateDir) }

// CleanStaleIn is CleanStale for lists in a folder of the caller's.
func CleanStaleIn(dir string) (removed []string, err error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	var errs []error
	for _, path := range files {
		gone, err := cleanClaim(path)
		removed = append(removed, gone...)
		errs = append(errs, err)
	}
	return removed, errors.Join(errs...)
}

// cleanClaim removes what one file lists, unless its run is alive.
func cleanClaim(path string) (removed []string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("read what a run left: %w", err)
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil, nil // its run is alive
	}
	var o owned
	if err := json.NewDecoder(f).Decode(&o); err != nil {
		o = owned{} // killed while writing: the names still tell
	}
	run := strings.TrimSuffix(filepath.Base(path), ".json")
	removed, err = o.remove(run)
	if err != nil {
		return removed, err
	}
	if done, err := o.Priority.restore(); err != nil {
		return removed, err
	} else if done {
		removed = append(removed, fmt.Sprintf("the priority of the session of process %d", o.Priority.Leader.PID))
	}
	if o.RTRuntime != 0 {
		if err := writeNumber(rtRuntime, o.RTRuntime); err != nil {
			return removed, err
		}
		removed = append(removed, "the limit of real-time threads, as it was")
	}
	if o.HugePages > 0 {
		if err := giveBack(filepath.Dir(path), o.HugePages); err != nil {
			return removed, err
		}
		removed = append(removed, fmt.Sprintf("%d huge pages", o.HugePages))
	}
	return removed, os.Remove(path)
}

// remove ends the processes, brings devices home and deletes the namespaces.
func (o owned) remove(run string) (removed []string, err error) {
	names, _ := filepath.Glob(filepath.Join(netdev.NamedDir, namePrefix+run+"-*"))
	for _, pid := range append(o.alive(), o.children(names)...) {
		if err := unix.Kill(pid, unix.SIGKILL); err == nil {
			removed = append(removed, fmt.Sprintf("process %d", pid))
		}
	}
	var errs []error
	for _, c := range o.Containers {
		was, err := c.remove()
		errs = append(errs, err)
		if was && err == nil {
			removed = append(removed, "container "+c.Name)
		}
	}
	for _, m := range o.Devices { // before their namespaces: some would go with them
		if err := m.bringHome(); err != nil {
			return removed, errors.Join(append(errs, err)...)
		}
		removed = append(removed, "device "+m.Name+", brought home")
	}
	for _, name := range names {
		name = filepath.Base(name)
		if err := netdev.Remove(name); err != nil {
			errs = append(errs, err)
			continue
		}
		removed = append(removed, "namespace "+name)
	}
	return removed, errors.Join(errs...)
}

// startTime is when a process started, in clock ticks since boot.
func startTime(pid int) (uint64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may hold anything; fields follow the last ")".
	s := string(b)
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	const field = 22 - 3 // state is field 3
	if len(fields) <= field {
		return 0, fmt.Errorf("unexpected /proc/%d/stat", pid)
	}
	var t uint64
	_, err = fmt.Sscan(fields[field], &t)
	return t, err
}
