// Package kit is what visits of all kinds have at hand: the book of the run, its testbed, and the meter that makes trials.
package kit

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
)

// Book is what a run is to do, what it has found, and who follows it.
type Book struct {
	Plan     *plan.Plan
	Observer watch.Observer
	Result   *record.Result

	Write       func(*record.Result) error                                   // after each trial; nil: nothing is kept
	Abort       func(*record.Result) error                                   // its error ends the run in order; nil: nothing does
	Calibration func(record.Host, record.Bench) (*record.Calibration, error) // nil: it is not asked for

	calibratedFor record.Bench // for which calibration was asked
}

// calibrate notes what is known of the machine, as soon as it is known what the run sends and receives by.
func (r *Book) calibrate() {
	bench, known := r.Result.Bench()
	if !known || bench == r.calibratedFor || r.Calibration == nil {
		return
	}
	var err error
	if r.Result.Calibration, err = r.Calibration(r.Result.Host, bench); err != nil {
		r.Result.Notes = record.AppendNew(r.Result.Notes, err.Error())
	}
	r.calibratedFor = bench
}

// Reference is the target that is wire, -1 when there is none.
func (r *Book) Reference() int {
	return slices.IndexFunc(r.Result.DUTs, func(d record.DUT) bool { return d.Reference })
}

// SaveError ends a run: what cannot be written down need not be measured.
type SaveError struct{ Err error }

// Error says why nothing could be written down.
func (e SaveError) Error() string { return e.Err.Error() }

// Unwrap gives the error.
func (e SaveError) Unwrap() error { return e.Err }

// AbortError ends a run because the caller asks for it.
type AbortError struct{ Err error }

// Error says why the run is to end.
func (e AbortError) Error() string { return e.Err.Error() }

// Unwrap gives the error.
func (e AbortError) Unwrap() error { return e.Err }

// Save writes down what there is so far, and asks whether the run is to go on. Its error is a SaveError or an AbortError.
func (r *Book) Save() error {
	r.Result.Finished = time.Now()
	r.calibrate()
	if r.Write != nil {
		if err := r.Write(r.Result); err != nil {
			return SaveError{Err: err}
		}
	}
	if r.Abort != nil {
		if err := r.Abort(r.Result); err != nil {
			return AbortError{Err: err}
		}
	}
	return nil
}

// Meet notes other runs that are under way on this machine, each once: they may begin after this one. Nothing is looked for
// while a trial runs.
func (r *Book) Meet() {
	records, _ := host.Records() // what cannot be read is not ours
	meet(r.Result, records)
}

func meet(r *record.Result, records []host.Record) {
	for _, other := range records {
		n := record.Neighbour{Run: other.Run, PID: other.PID}
		if !other.Live || other.Run == r.Run || slices.Contains(r.Neighbours, n) {
			continue
		}
		r.Neighbours = append(r.Neighbours, n)
		r.Notes = append(r.Notes, fmt.Sprintf("another upflab run (%s, process %d) was under way: the two disturb each other's numbers",
			n.Run, n.PID))
	}
}
