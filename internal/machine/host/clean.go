package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/text/scratch"
)

// CleanStale undoes what killed runs left and lists what that was. Each step is taken
// by itself: the errors name what could not be undone, which stays on the run's list.
func CleanStale() (removed []string, err error) {
	removed, err = CleanStaleIn(stateDir)
	removed = append(removed, removeEmptyGroups(groupMounts(), runsIn(stateDir))...)
	folders, failed := scratch.Clean()
	for _, folder := range folders {
		removed = append(removed, "folder "+folder)
	}
	return removed, errors.Join(err, failed)
}

// CleanStaleIn does what CleanStale does, for lists in the folder dir.
func CleanStaleIn(dir string) (removed []string, err error) {
	var errs []error
	for _, run := range runsIn(dir) {
		gone, err := cleanRun(dir, run)
		removed = append(removed, gone...)
		errs = append(errs, err)
	}
	return removed, errors.Join(append(errs, tidySettings(dir))...)
}

// runsIn are the runs that have a list or a lock.
func runsIn(dir string) (runs []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name := e.Name()
		run := strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".lock")
		if run != name && !strings.HasPrefix(name, ".") && !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	return runs
}

// cleanRun undoes what one list says, unless its run is alive.
func cleanRun(dir, run string) (removed []string, err error) {
	lock, err := takeStale(dir, run)
	if lock == nil {
		return nil, err
	}
	defer lock.Close()
	o, err := readOwned(dir, run)
	if err != nil {
		return nil, err
	}
	u := undoing{dir: dir, run: run, owns: o}
	u.all()
	if len(u.errs) > 0 {
		return u.removed, errors.Join(u.errs...)
	}
	return u.removed, removeLists(dir, run)
}

// undoing is the way through a killed run's list.
type undoing struct {
	dir, run string
	owns     owned
	removed  []string
	errs     []error
}

// step undoes one thing. What is undone is taken off the list at once.
func (u *undoing) step(what string, do func() (was bool, err error), forget func(*owned)) bool {
	was, err := do()
	if err == nil && forget != nil {
		forget(&u.owns)
		err = u.owns.write(u.dir, u.run)
	}
	if err != nil {
		u.errs = append(u.errs, fmt.Errorf("undo what run %s left: %s: %w", u.run, what, err))
		return false
	}
	if was {
		u.removed = append(u.removed, what)
	}
	return true
}

func (u *undoing) all() {
	u.processes()
	u.group()
	u.programs()
	u.containers()
	u.devices() // before their namespaces: some would go with them
	u.namespaces()
	u.ports()
	u.settings()
}

// ports gives devices back what the run changed at them where they are.
func (u *undoing) ports() {
	for _, s := range slices.Clone(u.owns.Spreads) {
		u.step("queues of "+s.Name+", as before", s.restore, func(o *owned) { o.dropSpread(s) })
	}
	for _, s := range slices.Clone(u.owns.GRO) {
		u.step("GRO of "+s.Name+", switched off again", s.restore, func(o *owned) { o.dropGRO(s) })
	}
}

func (u *undoing) processes() {
	for _, p := range u.owns.orphans(namespacesOf(u.run)) {
		u.step(fmt.Sprintf("process %d", p.PID), p.kill, nil)
	}
	u.owns.Processes = slices.DeleteFunc(u.owns.Processes, func(p process) bool { return !p.alive() })
}

// group ends what programs of the run started, however it detached itself.
func (u *undoing) group() {
	if u.owns.Cgroup == "" {
		return
	}
	g, err := u.owns.Cgroup.ofRun(u.run)
	what := fmt.Sprintf("processes %v, which programs of the run had started", g.members())
	u.step(what, func() (bool, error) {
		if err != nil {
			return false, err
		}
		return g.remove()
	}, func(o *owned) { o.Cgroup = "" })
}

// programs ends what users ran as UEs, and where there was no control group all that runs in the
// run's namespaces.
func (u *undoing) programs() {
	names := []string{NamespaceName(u.run, RoleUE)}
	if u.owns.NoCgroup {
		names = namespacesOf(u.run)
	}
	for _, name := range names {
		u.step("programs in "+name, func() (bool, error) { return EndInside(name) }, nil)
	}
}

func (u *undoing) containers() {
	for _, c := range slices.Clone(u.owns.Containers) {
		u.step("container "+c.Name, c.remove, func(o *owned) { o.dropContainer(c.Name) })
	}
}

func (u *undoing) devices() {
	for _, d := range slices.Clone(u.owns.Devices) {
		u.step("device "+d.Name+", brought home", func() (bool, error) { return true, d.bringHome() }, func(o *owned) { o.dropDevice(d.Name) })
	}
}

// namespaces removes those of the run but for the ones that have a device of the host.
func (u *undoing) namespaces() {
	for _, name := range namespacesOf(u.run) {
		if u.owns.hasDevice(name) {
			continue // its error was reported with the device
		}
		u.step("namespace "+name, func() (bool, error) { return true, netdev.Remove(name) }, func(o *owned) { o.dropNamespace(name) })
	}
	if len(u.errs) == 0 {
		u.owns.Namespaces = nil // those that were never made
	}
}

func (u *undoing) settings() {
	for _, s := range settingsOf(u.dir, u.run) {
		u.step(s.what, s.restore, nil)
	}
}

// namespacesOf are the named namespaces of a run that exist.
func namespacesOf(run string) (names []string) {
	paths, _ := filepath.Glob(filepath.Join(netdev.NamedDir, NamespaceName(run, "*")))
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}
