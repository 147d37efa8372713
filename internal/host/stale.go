package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/netdev"
)

// Record is what the list of a run says, and what of it is still there.
type Record struct {
	Run  string
	PID  int  // of the run's upflab; 0 when the list was cut short
	Live bool // the run is under way
	// Owns are processes, namespaces, devices, huge pages and a priority, nearly in CleanStale's words.
	Owns []string
}

// Records reads the lists of all runs and changes nothing. It needs no root.
func Records() ([]Record, error) { return RecordsIn(stateDir) }

// RecordsIn is Records for lists in a folder of the caller's.
func RecordsIn(dir string) ([]Record, error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.json")) // the pattern is right
	var records []Record
	var errs []error
	for _, path := range files {
		r, err := readRecord(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the run has just ended
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("read what a run owns: %w", err))
			continue
		}
		records = append(records, r)
	}
	return records, errors.Join(errs...)
}

// Stale tells what killed runs left: what CleanStale would remove. It changes
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

func readRecord(path string) (Record, error) {
	r := Record{Run: strings.TrimSuffix(filepath.Base(path), ".json")}
	f, err := os.Open(path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	if r.Live, err = live(f); err != nil {
		return r, err
	}
	var o owned
	if json.NewDecoder(f).Decode(&o) != nil {
		o = owned{} // cut short by a kill, or being written: the names still tell
	}
	r.PID, r.Owns = o.PID, o.present(r.Run)
	return r, nil
}

// live reports whether the run that owns the list holds its lock.
func live(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err // closing the file gives the lock back
}

// present lists what of it exists.
func (o owned) present(run string) []string {
	var list []string
	for _, p := range o.Processes {
		if start, err := startTime(p.PID); err == nil && start == p.Start {
			list = append(list, fmt.Sprintf("process %d", p.PID))
		}
	}
	names, _ := filepath.Glob(filepath.Join(netdev.NamedDir, namePrefix+run+"-*"))
	for _, name := range names {
		list = append(list, "namespace "+filepath.Base(name))
	}
	for _, c := range o.Containers {
		list = append(list, "container "+c.Name)
	}
	for _, m := range o.Devices {
		list = append(list, "device "+m.Name+", in "+m.In)
	}
	if o.Priority != nil {
		list = append(list, fmt.Sprintf("the priority of the session of process %d", o.Priority.Leader.PID))
	}
	if o.HugePages > 0 {
		list = append(list, fmt.Sprintf("%d huge pages", o.HugePages))
	}
	return list
}
