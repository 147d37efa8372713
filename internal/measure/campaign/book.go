package campaign

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
)

// book is what a run is to do, what it has found, and who follows it.
type book struct {
	plan     *plan.Plan
	job      *Job // of the plan
	observer watch.Observer
	result   *record.Result

	calibratedFor record.Bench // for which Job.Calibration was asked
}

// calibrate notes what is known of the machine, as soon as it is known what the run sends and receives by.
func (r *book) calibrate() {
	bench, known := r.result.Bench()
	if !known || bench == r.calibratedFor || r.job.Calibration == nil {
		return
	}
	var err error
	if r.result.Calibration, err = r.job.Calibration(r.result.Host, bench); err != nil {
		r.result.Notes = trial.AppendNew(r.result.Notes, err.Error())
	}
	r.calibratedFor = bench
}

// reference is the target that is wire, -1 when there is none.
func (r *book) reference() int {
	return slices.IndexFunc(r.result.DUTs, func(d record.DUT) bool { return d.Reference })
}

// saveError ends a run: what cannot be written down need not be measured.
type saveError struct{ error }

func (e saveError) Unwrap() error { return e.error }

// abortError ends a run because the caller asks for it.
type abortError struct{ error }

func (e abortError) Unwrap() error { return e.error }

func (r *book) save() error {
	r.result.Finished = time.Now()
	r.calibrate()
	if r.job.Save != nil {
		if err := r.job.Save(r.result); err != nil {
			return saveError{err}
		}
	}
	if r.job.Abort != nil {
		if err := r.job.Abort(r.result); err != nil {
			return abortError{err}
		}
	}
	return nil
}

// meet notes other runs that are under way on this machine, each once: they may begin after this one. Nothing is looked for
// while a trial runs.
func (r *book) meet() {
	records, _ := host.Records() // what cannot be read is not ours
	meet(r.result, records)
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
