// Package watch is how others follow a run.
package watch

import (
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
)

// Observer follows a run.
type Observer interface {
	trial.Observer
	// Stage names what is being set up.
	Stage(target, what string)
	// Engine says what sends and receives.
	Engine(e record.Engine)
	// Begin is called before trial number n (from 1) of the run.
	Begin(n int, target string, t record.Trial)
	// End gives the finished trial.
	End(n int, target string, t record.Trial)
	// Flowed gives the finished flow number n (from 1) of the run.
	Flowed(n int, target string, f record.AppFlow)
	// Tried gives the finished case or incident number n (from 1) of the run.
	Tried(n int, target string, s Step)
	// Searched gives the result of a finished search.
	Searched(target string, s record.Search)
	// Noted gives a result in a line.
	Noted(target, line string)
	// Failed gives the reason why a DUT is given up.
	Failed(target string, err error)
}

// Step is a case or an incident that is over, for people.
type Step struct {
	Name, Outcome string
	Good          bool // nothing is held against the UPF
}

// Silent is an Observer that does nothing.
type Silent struct{}

// Engine does nothing.
func (Silent) Engine(record.Engine) {}

// Stage does nothing.
func (Silent) Stage(string, string) {}

// Begin does nothing.
func (Silent) Begin(int, string, record.Trial) {}

// Live does nothing.
func (Silent) Live(time.Duration, uint64, uint64) {}

// Point does nothing.
func (Silent) Point(record.Point) {}

// End does nothing.
func (Silent) End(int, string, record.Trial) {}

// Failed does nothing.
func (Silent) Failed(string, error) {}

// Noted does nothing.
func (Silent) Noted(string, string) {}

// Searched does nothing.
func (Silent) Searched(string, record.Search) {}

// Flowed does nothing.
func (Silent) Flowed(int, string, record.AppFlow) {}

// Tried does nothing.
func (Silent) Tried(int, string, Step) {}
