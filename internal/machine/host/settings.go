package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// settings are what runs have changed of the machine that has one value for all of
// them. Each is set by the first run that wants it and restored by the last.
type settings struct {
	RTLimit    *shared            `json:"rt_runtime_us,omitempty"`
	Priorities map[string]*shared `json:"session_nice,omitempty"` // by session.key
	Autogroups *shared            `json:"autogroups,omitempty"`
	HugePages  hugePages          `json:"huge_pages,omitzero"`
}

// shared is a value of the machine that runs have changed.
type shared struct {
	Was  int      `json:"was"`
	Runs []string `json:"runs"` // that want the changed one
}

// use adds a run. It reports whether it is the first, which changes the value.
func (s *shared) use(run string) (first bool) {
	if !slices.Contains(s.Runs, run) {
		s.Runs = append(s.Runs, run)
	}
	return len(s.Runs) == 1
}

// release takes a run away and reports whether it was the last.
func (s *shared) release(run string) (last bool) {
	if s == nil || !slices.Contains(s.Runs, run) {
		return false
	}
	s.Runs = slices.DeleteFunc(s.Runs, func(r string) bool { return r == run })
	return len(s.Runs) == 0
}

func settingsPath(dir string) string { return filepath.Join(dir, ".machine.json") }

// withSettings lets f read and change the settings, one run at a time. f calls save
// before it changes the machine; what it leaves is saved at its end.
func withSettings(dir string, f func(s *settings, save func() error) error) error {
	lock, err := lockSettings(dir)
	if err != nil {
		return fmt.Errorf("lock the machine's settings: %w", err)
	}
	defer lock.Close()
	defer removeUnused(dir)
	s, err := readSettings(dir)
	if err != nil {
		return err
	}
	save := func() error { return s.write(dir) }
	return errors.Join(f(s, save), save())
}

func settingsLock(dir string) string { return filepath.Join(dir, ".machine.lock") }

// lockSettings waits for the lock of the settings.
func lockSettings(dir string) (*os.File, error) {
	for {
		f, err := os.OpenFile(settingsLock(dir), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f, unix.LOCK_EX); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if named(f, settingsLock(dir)) {
			return f, nil
		}
		f.Close() // its holder removed it
	}
}

// tidySettings removes what a run left that was killed before it had changed one.
func tidySettings(dir string) error {
	if _, err := os.Lstat(settingsLock(dir)); err != nil {
		return nil
	}
	lock, err := lockSettings(dir)
	if err != nil {
		return fmt.Errorf("lock the machine's settings: %w", err)
	}
	defer lock.Close()
	for _, left := range atomicfile.Leftovers(settingsPath(dir)) {
		os.Remove(left)
	}
	removeUnused(dir)
	return nil
}

// removeUnused removes the lock, which the caller holds, when there are no settings.
func removeUnused(dir string) {
	if _, err := os.Lstat(settingsPath(dir)); errors.Is(err, os.ErrNotExist) {
		os.Remove(settingsLock(dir))
	}
}

func readSettings(dir string) (*settings, error) {
	s := new(settings)
	b, err := os.ReadFile(settingsPath(dir))
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, s)
	}
	if err != nil {
		return nil, fmt.Errorf("read what runs changed of this machine: %w: look at %s, restore what it says, "+
			"then remove it", err, settingsPath(dir))
	}
	return s, nil
}

// prune forgets values that no run has changed.
func (s *settings) prune() {
	if s.RTLimit != nil && len(s.RTLimit.Runs) == 0 {
		s.RTLimit = nil
	}
	maps.DeleteFunc(s.Priorities, func(_ string, p *shared) bool { return len(p.Runs) == 0 })
}

// write puts the settings on disk, whole; nothing changed is no file.
func (s *settings) write(dir string) error {
	s.prune()
	path := settingsPath(dir)
	for _, left := range atomicfile.Leftovers(path) {
		os.Remove(left)
	}
	if s.RTLimit == nil && s.Autogroups == nil && len(s.Priorities) == 0 && s.HugePages.none() {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, b, 0o644); err != nil {
		return fmt.Errorf("write down what is changed of this machine: %w", err)
	}
	return nil
}

// restorable is a setting that a run has changed and how to undo that.
type restorable struct {
	what    string
	restore func() (was bool, err error)
}

// settingsOf are those that a run has a share in.
func settingsOf(dir, run string) (list []restorable) {
	s, err := readSettings(dir)
	if err != nil {
		return []restorable{{"settings of this machine", func() (bool, error) { return false, err }}}
	}
	add := func(what string, release func(dir, run string) error) {
		list = append(list, restorable{what, func() (bool, error) { return true, release(dir, run) }})
	}
	if s.RTLimit != nil && slices.Contains(s.RTLimit.Runs, run) {
		add("the limit of real-time threads, as it was", releaseRTLimit)
	}
	if s.Autogroups != nil && slices.Contains(s.Autogroups.Runs, run) {
		add("the scheduler's groups by session", releaseAutogroups)
	}
	for key, p := range s.Priorities {
		if slices.Contains(p.Runs, run) {
			add("the priority of the session of process "+sessionOf(key).leader(), releasePriority)
		}
	}
	if n := s.HugePages.ofRun(run); n > 0 {
		add(fmt.Sprintf("%d huge pages", n), releaseHugePages)
	}
	return list
}

// releaseSettings undoes the share of a run in all of them.
func releaseSettings(dir, run string) error {
	var errs []error
	for _, s := range settingsOf(dir, run) {
		_, err := s.restore()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// giveBack undoes what a run changed at devices that stay where they are, and takes what is
// undone off the claim's list.
func giveBack[T interface{ restore() (bool, error) }](c *Claim, list []T, drop func(*owned, T)) error {
	var errs []error
	for _, x := range slices.Clone(list) {
		if _, err := x.restore(); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, c.drop(func(o *owned) { drop(o, x) }))
	}
	return errors.Join(errs...)
}

// atHome does something with a device of the network namespace of an inode number; false: one
// of them is gone.
func atHome(inode uint32, name string, do func(*netdev.Port) error) (was bool, err error) {
	home, err := netdev.ByInode(inode)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer home.Release()
	if _, err := home.Netlink().LinkByName(name); err != nil {
		if absent(err) {
			return false, nil
		}
		return false, err
	}
	if err := do(&netdev.Port{NS: home, Name: name}); err != nil {
		return true, fmt.Errorf("restore %s: %w", name, err)
	}
	return true, nil
}
