package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/atomicfile"
)

// owned is what the list of a run says.
type owned struct {
	PID        int         `json:"pid"`
	Start      uint64      `json:"start"` // of the process, in clock ticks since boot
	Namespaces []string    `json:"namespaces,omitempty"`
	Processes  []process   `json:"processes,omitempty"`
	Cgroup     cgroup      `json:"cgroup,omitempty"`    // holds all processes of the run's programs
	NoCgroup   bool        `json:"no_cgroup,omitempty"` // none could be made for them
	Containers []container `json:"containers,omitempty"`
	Devices    []device    `json:"devices,omitempty"` // of the host, in our namespaces
	GRO        []switched  `json:"gro,omitempty"`     // devices of the host where it is on for the run
	Spreads    []spreading `json:"spreads,omitempty"` // what devices that stay at home had
}

// write puts the list on disk, whole. Everybody may read it: upflab doctor needs no
// root.
func (o owned) write(dir, run string) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(listPath(dir, run), b, 0o644); err != nil {
		return fmt.Errorf("write down what run %s owns: %w", run, err)
	}
	return nil
}

// readOwned reads the list of a run; one that is not there is empty.
func readOwned(dir, run string) (o owned, err error) {
	path := listPath(dir, run)
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		return o, fmt.Errorf("read what run %s owns: %w", run, err)
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return owned{}, unreadableError{run, path, err}
	}
	return o, nil
}

// unreadableError is a list that is no JSON: upflab writes lists whole, so something
// else damaged it.
type unreadableError struct {
	run, path string
	err       error
}

func (e unreadableError) Unwrap() error { return e.err }

func (e unreadableError) Error() string {
	text := fmt.Sprintf("%s, the list of what run %s owns, is damaged (%v): nothing on it was undone", e.path, e.run, e.err)
	if names := namespacesOf(e.run); len(names) > 0 {
		return text + fmt.Sprintf(", and devices of this machine may be in %v: `ip -n %s link` lists them, `ip -n "+
			"%s link set DEV netns 1` brings one back; then `ip netns delete %s`, and remove the list", names, names[0], names[0], names[0])
	}
	return text + ": look at it, then remove it"
}

func (o owned) clone() owned {
	o.Namespaces, o.Processes = slices.Clone(o.Namespaces), slices.Clone(o.Processes)
	o.Containers, o.Devices = slices.Clone(o.Containers), slices.Clone(o.Devices)
	o.GRO, o.Spreads = slices.Clone(o.GRO), slices.Clone(o.Spreads)
	return o
}

func (o owned) nothing() bool {
	return len(o.Namespaces)+len(o.alive())+len(o.Containers)+len(o.Devices)+len(o.GRO)+len(o.Spreads)+len(o.Cgroup) == 0
}

func (o *owned) dropNamespace(name string) {
	o.Namespaces = slices.DeleteFunc(o.Namespaces, func(n string) bool { return n == name })
}

func (o *owned) dropProcess(pid int) {
	o.Processes = slices.DeleteFunc(o.Processes, func(p process) bool { return p.PID == pid })
}

func (o *owned) dropContainer(name string) {
	o.Containers = slices.DeleteFunc(o.Containers, func(x container) bool { return x.Name == name })
}

func (o *owned) dropSpread(s spreading) { o.Spreads = slices.DeleteFunc(o.Spreads, s.is) }

func (o *owned) dropGRO(s switched) {
	o.GRO = slices.DeleteFunc(o.GRO, func(x switched) bool { return x == s })
}

func (o *owned) dropDevice(name string) {
	o.Devices = slices.DeleteFunc(o.Devices, func(d device) bool { return d.Name == name })
}

// hasDevice reports whether a device of the host is in a namespace.
func (o *owned) hasDevice(namespace string) bool {
	return slices.ContainsFunc(o.Devices, func(d device) bool { return d.In == namespace })
}

// Record is what the list of a run says, and what of it is still there.
type Record struct {
	Run  string
	PID  int  // of the run's upflab; 0 when it has written nothing down yet
	Live bool // the run is under way
	// Owns are processes, namespaces, devices, huge pages and a priority, nearly in CleanStale's words.
	Owns []string
}

// Records reads the lists of all runs and changes nothing. It needs no root.
func Records() ([]Record, error) { return RecordsIn(stateDir) }

// RecordsIn does what Records does, for lists in the folder dir.
func RecordsIn(dir string) ([]Record, error) {
	var records []Record
	var errs []error
	for _, run := range runsIn(dir) {
		o, err := readOwned(dir, run)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if r := (Record{Run: run, PID: o.PID, Live: live(dir, run, o), Owns: o.present(dir, run)}); r.Live || r.PID != 0 || len(r.Owns) > 0 {
			records = append(records, r)
		}
	}
	return records, errors.Join(errs...)
}

// live reports whether somebody holds the lock of a run. Only root can look; others
// look for the run's process.
func live(dir, run string, o owned) bool {
	f, err := os.Open(lockPath(dir, run))
	if errors.Is(err, fs.ErrPermission) {
		return process{o.PID, o.Start}.alive()
	}
	if err != nil {
		return false
	}
	defer f.Close() // gives the lock back
	return errors.Is(flock(f, unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// present lists what of it exists.
func (o owned) present(dir, run string) []string {
	var list []string
	for _, p := range o.alive() {
		list = append(list, fmt.Sprintf("process %d", p.PID))
	}
	group, _ := o.Cgroup.ofRun(run)
	for _, pid := range group.members() {
		if !slices.ContainsFunc(o.Processes, func(p process) bool { return p.PID == pid }) {
			list = append(list, fmt.Sprintf("process %d", pid))
		}
	}
	for _, name := range namespacesOf(run) {
		list = append(list, "namespace "+name)
	}
	for _, c := range o.Containers {
		list = append(list, "container "+c.Name)
	}
	for _, d := range o.Devices {
		list = append(list, "device "+d.Name+", in "+d.In)
	}
	for _, s := range o.Spreads {
		list = append(list, "queues of "+s.Name+", changed")
	}
	for _, s := range o.GRO {
		list = append(list, "GRO of "+s.Name+", switched on")
	}
	for _, s := range settingsOf(dir, run) {
		list = append(list, s.what)
	}
	return list
}
