// Package measure runs trials: it brings each DUT up in turn, provisions its
// sessions, sends the scenario's loads through it and writes down what happened.
package measure

import (
	"time"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/replay"
)

// Plan is everything a run is made of.
type Plan struct {
	Scenario *scenario.Scenario
	Targets  []dut.Target // in the order of measurement; the wire first, for the verdicts
	Dir      string       // where rendered files and logs go
	// Packets is how many packets of each hop of each DUT are captured, before its
	// trials; 0: none.
	Packets int
	// Save is called after each trial, so that a run that dies leaves what it had.
	Save func(*record.Result) error

	recording *replay.Recording // nil: no capture is replayed
}

// trialSpec is one trial to come.
type trialSpec struct {
	kind      string
	direction record.Direction
	size      scenario.PacketSize
	load      record.Load
	duration  time.Duration
	repeat    int
	// burst is as many packets as fall due, as fast as possible and without a
	// warm-up.
	burst bool
	// soak makes it a soak, with what is known of that before.
	soak *record.Soak
	// unwatched: no series is kept, for reading one disturbs the trial and nobody
	// would look at it.
	unwatched bool
}

// trials lists the trials of one visit to a DUT: of each size the loads, then the
// latency.
func (p *Plan) trials(repeat int) []trialSpec {
	var list []trialSpec
	for _, size := range p.sizes() {
		list = append(list, p.trialsOf(size, repeat)...)
	}
	return list
}

func (p *Plan) trialsOf(size scenario.PacketSize, repeat int) (list []trialSpec) {
	s := p.Scenario
	for _, d := range s.Directions {
		for _, load := range s.Loads {
			list = append(list, p.paced(trialSpec{kind: record.KindLoad, direction: d, size: size, load: load, duration: s.Duration.Duration, repeat: repeat}))
		}
	}
	for _, d := range s.Directions {
		list = append(list, trialSpec{kind: record.KindLatency, direction: d, size: size, load: s.Latency.Rate, duration: s.Latency.Duration.Duration, repeat: repeat})
	}
	if s.Soak.Asked() {
		return soakLoads(list)
	}
	return list
}

// Trials is how many trials the whole run has.
func (p *Plan) Trials() int {
	return len(p.trials(1)) * len(p.Targets) * p.Scenario.Repeats
}

// Observer is told how the run goes. Live may come from another goroutine.
type Observer interface {
	// Engine says what sends and receives.
	Engine(e record.Engine)
	// Stage says what is being set up.
	Stage(target, what string)
	// Begin is called before trial number n (from 1) of the run.
	Begin(n int, target string, t record.Trial)
	// Live tells what was sent and received so far.
	Live(elapsed time.Duration, sent, received uint64)
	// End gives the finished trial.
	End(n int, target string, t record.Trial)
	// Searched gives the result of a finished search.
	Searched(target string, s record.Search)
	// Failed tells that a DUT is given up.
	Failed(target string, err error)
}
