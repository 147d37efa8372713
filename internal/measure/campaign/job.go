// Package campaign makes a run: it visits each DUT in turn and in each repeat, does what the
// kind of scenario asks for, and writes down what happened.
package campaign

import (
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic/hosts"
)

// Job is a run to make: its plan, and what becomes of what it finds.
type Job struct {
	plan.Plan
	Dir string // where rendered files and logs go
	// Packets is how many packets of each hop of each DUT are captured, before its
	// trials; 0: none.
	Packets int
	// Hosts send and receive; nil: this one does.
	Hosts *hosts.Session

	// Save is called after each trial, so that a run that dies leaves what it had.
	Save func(*record.Result) error
	// Raw keeps what a trial is computed from, and gives the number of its record; nil: it is not kept.
	Raw func(*trial.Raw) (uint64, error)
	// Calibration finds how much a machine differs from itself from run to run by a bench, nil where that was not
	// measured; nil: it is not asked for.
	Calibration func(record.Host, record.Bench) (*record.Calibration, error)
	// Abort is asked after each Save; its error ends the run in order, and is Run's. nil:
	// nothing does.
	Abort func(*record.Result) error
}
