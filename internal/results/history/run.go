package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
)

// Run is what the index knows of a result.
type Run struct {
	// Path is its folder below the store's, with slashes; "." is the store itself.
	Path     string    `json:"folder"`
	ID       string    `json:"run"`
	Scenario string    `json:"scenario"`
	Title    string    `json:"title,omitempty"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Complete bool      `json:"complete"`
	Machine  string    `json:"machine"` // host name, CPU, number of CPUs
	Upflab   string    `json:"upflab"`  // version
	Kernel   string    `json:"kernel"`
	DUTs     []DUT     `json:"duts"`
	Invalid  int       `json:"invalid,omitempty"` // trials and flows that are not valid
	// Thresholds counts them by outcome, Limits are those on figures of series, Findings those of
	// behaviour cases.
	Thresholds map[record.Outcome]int `json:"thresholds,omitempty"`
	Limits     []Limit                `json:"limits,omitempty"`
	Findings   int                    `json:"findings,omitempty"`
	// Unreadable says why the result could not be read; "": it could.
	Unreadable string `json:"unreadable,omitempty"`

	readings []reading
}

// DUT is one of a run.
type DUT struct {
	Label     string        `json:"label"` // name:mode
	Version   string        `json:"version,omitempty"`
	Reference bool          `json:"reference,omitempty"`
	Status    record.Status `json:"status"`
	Cases     bool          `json:"cases,omitempty"` // it was held to behaviour cases
	Headline  Headline      `json:"headline,omitzero"`
}

// Folder is the run's folder in a store.
func (r *Run) Folder(store string) string { return filepath.Join(store, filepath.FromSlash(r.Path)) }

// Behaved reports whether behaviour cases were run.
func (r *Run) Behaved() bool {
	for _, d := range r.DUTs {
		if d.Cases {
			return true
		}
	}
	return false
}

// newRun takes from a result what the index keeps.
func newRun(path string, r *record.Result) *Run {
	all := compare.Readings(r)
	x := &Run{Path: path, ID: r.Run, Scenario: r.Scenario, Title: r.Title, Started: r.Started, Finished: r.Finished, Complete: r.Complete,
		Machine: machine(r.Host), Upflab: strings.TrimSpace(r.Tool.Version + " " + r.Tool.Commit),
		Kernel: r.Host.Kernel, readings: readings(all)}
	x.Thresholds, x.Limits = r.Outcomes(), limitsOf(r, all)
	for i := range r.DUTs {
		d := &r.DUTs[i]
		x.DUTs = append(x.DUTs, DUT{Label: compare.Label(d), Version: d.Version, Reference: d.Reference,
			Status: d.Status, Cases: len(d.Cases) > 0, Headline: headlineOf(d, all)})
		x.Invalid += invalid(d)
		x.Findings += findings(d)
	}
	return x
}

func machine(h record.Host) string {
	if h.Hostname == "" && h.CPU == "" {
		return "unknown machine"
	}
	return fmt.Sprintf("%s, %s, %d CPUs", h.Hostname, h.CPU, h.CPUs)
}

func invalid(d *record.DUT) (n int) {
	for i := range d.Trials {
		if !d.Trials[i].Valid {
			n++
		}
	}
	for i := range d.Flows {
		if !d.Flows[i].Valid {
			n++
		}
	}
	return n
}
