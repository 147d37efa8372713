// Package calibration keeps, on the machine itself, what runs of an unchanged device had there: how much the
// machine differs from itself from run to run and from day to day follows from them. Each fingerprint of the
// machine has a file: with another kernel it is another machine, and returns with the old one.
package calibration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Folder has the files of this machine.
const Folder = "/var/lib/upflab-calibration"

// Schema names the version of the format.
const Schema = "upflab.calibration/v1"

// mostRuns are kept, the newest.
const mostRuns = 200

// mostReading is more than any rate, packets/s, and any time, ns, of a run.
const mostReading = 1e13

// mostBytes is more than so many runs have.
const mostBytes = 4 << 20

// File is what a machine with one fingerprint has measured of itself.
type File struct {
	Schema  string         `json:"schema"`
	Machine string         `json:"machine"`          // its fingerprint
	Traits  []record.Trait `json:"traits,omitempty"` // what the fingerprint is of
	Device  string         `json:"device"`           // what was measured, name:mode
	Runs    []between.Run  `json:"runs"`             // in the order of measurement
}

func path(dir, machine string) string { return filepath.Join(dir, machine+".json") }

// Load reads the file of a machine at a time; an empty one where it has none.
func Load(dir string, h record.Host, now time.Time) (*File, error) {
	f := &File{Schema: Schema, Machine: h.Fingerprint(), Traits: h.Traits()}
	name := path(dir, f.Machine)
	data, err := safefile.Read(name, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if errors.Is(err, unix.ENOTDIR) {
		return f, fmt.Errorf("%s is no folder: give --dir one", dir)
	}
	var read File
	if err == nil {
		err = json.Unmarshal(data, &read)
	}
	if err == nil && (read.Schema != Schema || read.Machine != f.Machine) {
		err = fmt.Errorf("it is %q of machine %q", read.Schema, read.Machine)
	}
	if err == nil {
		err = read.check(now)
	}
	if err != nil {
		return f, fmt.Errorf("read the calibration of this machine, %s: %w; remove it, and calibrate again", name, err)
	}
	read.Traits = h.Traits() // files of before they were kept have none
	return &read, nil
}

// ahead is how far the clock of a run may have been before this one.
const ahead = time.Hour

// check finds what no run has.
func (f *File) check(now time.Time) error {
	if of := record.FingerprintOf(f.Traits); len(f.Traits) > 0 && of != f.Machine {
		return fmt.Errorf("it is of machine %q, and its traits are of another one, %q", f.Machine, of)
	}
	if printable.Line(f.Device) != f.Device {
		return fmt.Errorf("its device is %q", f.Device)
	}
	for _, r := range f.Runs {
		if r.Started.After(now.Add(ahead)) {
			return fmt.Errorf("run %q began at %s, which is in the future: is the clock of this machine right?", r.Run, r.Started.UTC().Format(time.RFC3339))
		}
		if b := r.Bench; b != nil && printable.Line(b.String()) != b.String() {
			return fmt.Errorf("the bench of run %q is %q", r.Run, b)
		}
		for _, v := range slices.Concat(r.Readings, r.Wire) {
			if !(v.Value > 0 && v.Value <= mostReading) {
				return fmt.Errorf("run %q has %g for %q at %q", r.Run, v.Value, v.Figure, v.Place)
			}
		}
	}
	return nil
}

// Add adds a run of a device. Runs of another device are dropped: what they differ by is not the machine.
func (f *File) Add(device string, r between.Run) {
	if f.Device != device {
		f.Device, f.Runs = device, nil
	}
	f.Runs = append(f.Runs, r)
	f.Runs = slices.Clone(f.Runs[max(0, len(f.Runs)-mostRuns):])
}

// Save writes the file, whole or not at all.
func (f *File) Save(dir string) error {
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of calibrations: %w", err)
	}
	data, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path(dir, f.Machine), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the calibration of this machine: %w", err)
	}
	return nil
}

// Calibration sums up what is known of a bench; nil: it has too few runs.
func (f *File) Calibration(b record.Bench) *record.Calibration {
	return between.Calibration(f.Machine, f.Device, &b, f.Runs)
}

// Benches are those of the runs, the last one first.
func (f *File) Benches() (list []record.Bench) {
	for _, r := range slices.Backward(f.Runs) {
		if r.Bench != nil && !slices.Contains(list, *r.Bench) {
			list = append(list, *r.Bench)
		}
	}
	return list
}

// Calibrations are those of each bench that has enough runs.
func (f *File) Calibrations() (list []*record.Calibration) {
	benches := f.Benches()
	if len(benches) == 0 {
		benches = []record.Bench{{}} // runs of before they were noted
	}
	for _, b := range benches {
		if c := f.Calibration(b); c != nil {
			list = append(list, c)
		}
	}
	return list
}

// Of is what counts of a machine with a bench at a time; nil: it was never calibrated, or Why says why that does not
// count.
func Of(dir string, h record.Host, b record.Bench, now time.Time) (c *record.Calibration, why string, err error) {
	f, err := Load(dir, h, now)
	if err != nil {
		return nil, "", err
	}
	c = f.Calibration(b)
	others := slices.DeleteFunc(f.Benches(), func(o record.Bench) bool { return o == b || f.Calibration(o) == nil })
	switch {
	case c != nil && now.After(c.Until()):
		return nil, fmt.Sprintf("the calibration of this machine, certificate %s, ended on %s: its last run is of %s", c.Certificate,
			c.Until().UTC().Format(time.DateOnly), c.Last.UTC().Format(time.DateOnly)), nil
	case c != nil:
		return c, "", nil
	case len(others) > 0:
		return nil, fmt.Sprintf("this machine is calibrated for %s, and this run is by %s", others[0], b), nil
	}
	if changed := Expired(dir, h, now); changed != "" {
		return nil, "the calibration of this machine has expired, since this changed: " + changed, nil
	}
	return nil, "", nil
}
