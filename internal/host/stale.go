package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

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

// RecordsIn is Records for lists in a folder of the caller's.
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

// Stale lists what killed runs left: what CleanStale would remove. It changes
// nothing and needs no root.
func Stale() ([]string, error) {
	records, err := Records()
	var left []string
	for _, r := range records {
		if !r.Live {
			left = append(left, r.Owns...)
		}
	}
	return left, err
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
