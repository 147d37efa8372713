// Package campaign makes a run of trials: it visits each DUT in turn, repeats, searches
// and soaks, and writes down what happened.
package campaign

import (
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/replay"
	"github.com/upflab/upflab/internal/trial"
)

// Plan is everything a run is made of.
type Plan struct {
	Scenario *scenario.Scenario
	Targets  []dut.Target
	Dir      string // where rendered files and logs go
	// Packets is how many packets of each hop of each DUT are captured, before its
	// trials; 0: none.
	Packets int
	// Save is called after each trial, so that a run that dies leaves what it had.
	Save func(*record.Result) error
	// Abort is asked after each Save; its error ends the run in order, and is Run's. nil:
	// nothing does.
	Abort func(*record.Result) error

	// Hosts send and receive; nil: this one does.
	Hosts *hosts.Session

	// SearchWire: wire is searched as UPFs are, and not only asked whether it carries their
	// rates. Alone it is in any case.
	SearchWire bool

	recording *replay.Recording // nil: no capture is replayed
}

// trials lists the trials of one visit to a DUT: of each size the loads, then the
// latency.
func (p *Plan) trials(repeat int) []trial.Spec {
	var list []trial.Spec
	for _, size := range p.sizes() {
		list = append(list, p.trialsOf(size, repeat)...)
	}
	return list
}

func (p *Plan) trialsOf(size scenario.PacketSize, repeat int) (list []trial.Spec) {
	s := p.Scenario
	for _, d := range s.Directions {
		for _, load := range s.Loads {
			list = append(list, p.paced(trial.Spec{Kind: record.KindLoad, Direction: d, Size: size, Load: load, Duration: s.Duration.Duration, Repeat: repeat}))
		}
	}
	for _, d := range s.Directions {
		list = append(list, trial.Spec{Kind: record.KindLatency, Direction: d, Size: size, Load: s.Latency.Rate, Duration: s.Latency.Duration.Duration, Repeat: repeat})
	}
	if s.Soak.Asked() {
		return soakLoads(list)
	}
	return list
}

// order is the order of the visits, as numbers of targets, by repeat: a random one by the
// scenario's seed and then its reverse, so that a machine that drifts favours no target.
// References lead in the first repeat, since verdicts on the others need their figures.
func (p *Plan) order() [][]int {
	leads := func(i int) bool { return isReference(p.Targets[i].Name()) }
	return stats.Blocks(len(p.Targets), p.Scenario.Repeats, uint64(p.Scenario.Seed), leads)
}

// Trials is how many trials, or flows, the whole run has.
func (p *Plan) Trials() int {
	if p.Scenario.Stress.Asked() {
		return p.stressTrials()
	}
	each := len(p.trials(1))
	if p.applied() {
		each = p.flows()
	}
	return each * len(p.Targets) * p.Scenario.Repeats
}

// applied reports whether applications are measured, and no test packets.
func (p *Plan) applied() bool { return len(p.Scenario.Flows) > 0 }

// flows is how many a visit to a target has.
func (p *Plan) flows() int { return len(p.Scenario.LinksOf()) * len(p.Scenario.Flows) }

// Observer follows a run.
type Observer interface {
	trial.Observer
	// Engine says what sends and receives.
	Engine(e record.Engine)
	// Begin is called before trial number n (from 1) of the run.
	Begin(n int, target string, t record.Trial)
	// End gives the finished trial.
	End(n int, target string, t record.Trial)
	// Flowed gives the finished flow number n (from 1) of the run.
	Flowed(n int, target string, f record.AppFlow)
	// Searched gives the result of a finished search.
	Searched(target string, s record.Search)
	// Noted gives a result in a line.
	Noted(target, line string)
	// Failed gives the reason why a DUT is given up.
	Failed(target string, err error)
}
