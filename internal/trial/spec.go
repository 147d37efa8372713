// Package trial measures: it brings one DUT up with everything around it, sends one
// load through it, reads every counter, and judges what came out. Which trials there
// are, and how often each is made, the package campaign decides.
package trial

import (
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Spec is one trial to come.
type Spec struct {
	Kind      string // record.KindLoad or KindLatency
	Direction record.Direction
	Size      scenario.PacketSize
	Load      record.Load
	Duration  time.Duration
	Repeat    int
	// Draw tells trials of a search apart that have one load: their gaps differ, too.
	Draw int
	// Arrivals is the arrival process; "": the scenario's.
	Arrivals scenario.Arrivals
	// Burst is as many packets as fall due, as fast as possible and without a
	// warm-up.
	Burst bool
	// Soak makes it a soak, with what is known of that before.
	Soak *record.Soak
	// Warmup is the traffic before it that is not counted; 0: the scenario's. NoWarmup: none.
	Warmup   time.Duration
	NoWarmup bool
	// Step is the distance of the points of its series; 0: by its length.
	Step time.Duration
	// Unwatched trials keep no series: reading one disturbs the trial.
	Unwatched bool
	// Keep, if it is there, gets what is known of a trial under way about every
	// KeepEvery, so that a soak that is killed is not lost. It is called from another
	// goroutine, never after Measure has returned.
	Keep func(record.Trial)
	// Everything counts, whatever disturbed the machine and whatever the scenario says.
	Everything bool
	// Wire is what wire did at the same load in the same repeat.
	Wire Wire
	// NearestNS is the least that Deployment.LineNS has been in the run; 0: not known.
	NearestNS float64
}

// Wire is what wire did at a load; zero: it was not measured.
type Wire struct {
	RxPPS     float64 // it received, packets/s
	LossRatio float64 // it lost, 0..1
}

// KeepEvery is how often a trial under way is kept.
const KeepEvery = time.Minute

// Follower is an Observer that hears of each point of a series as soon as it is there.
type Follower interface{ Point(p record.Point) }

// Observer follows what goes on at a DUT. Live may come from another goroutine.
type Observer interface {
	// Stage names what is being set up.
	Stage(target, what string)
	// Live gives what was sent and received so far.
	Live(elapsed time.Duration, sent, received uint64)
}
