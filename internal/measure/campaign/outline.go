package campaign

import (
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Outline is what a plan would do, without doing it.
type Outline struct {
	DUTs    []string // labels
	Visits  [][]int  // numbers of DUTs, by repeat, in the order of their visits
	Folders []string // of the DUTs, below the result's
	Repeats int
	// Trials are those of one visit, Flows likewise.
	Trials []OutlineTrial
	Flows  []scenario.Flow
	Links  int // kinds of link, each with all flows
	// Cases is how many cases or incidents a visit has, and Of which of the two they are.
	Cases int
	Of    string
	// Open are steps whose number and length the run decides: sentences.
	Open []string
	// Takes is how long the steps above take, without those in Open.
	Takes time.Duration
}

// OutlineTrial is a trial to come.
type OutlineTrial struct {
	Kind      record.Kind
	Direction record.Direction
	Size      string
	Load      record.Load
	Duration  time.Duration
}

// What bringing a DUT up and down, and a trial's set-up and readings take here, about:
// as measured with the reference UPF on the machine that upflab is developed on.
const (
	visitTakes = 6 * time.Second
	trialTakes = 400 * time.Millisecond
)

// Outline says what the plan would do.
func (p *Plan) Outline() Outline {
	s := p.Scenario
	o := Outline{Repeats: s.Repeats, Visits: p.order(), Open: p.open()}
	for _, t := range p.Targets {
		o.DUTs, o.Folders = append(o.DUTs, t.Label()), append(o.Folders, folder(t))
	}
	var visit time.Duration
	if k := p.kind(); k.outline != nil {
		visit = k.outline(p, &o)
	}
	visits := time.Duration(len(p.Targets) * s.Repeats)
	o.Takes = visits * (visit + visitTakes)
	return o
}

// outlineTrials adds the trials of a visit.
func outlineTrials(p *Plan, o *Outline) (visit time.Duration) {
	s := p.Scenario
	for _, t := range p.trials(1) {
		o.Trials = append(o.Trials, OutlineTrial{t.Kind, t.Direction, t.Size.Name, t.Load, t.Duration})
		visit += s.Warmup.Duration + t.Duration + s.Settle.Duration + trialTakes
	}
	return visit
}

// open lists what the run decides by what it finds.
func (p *Plan) open() (list []string) {
	s := p.Scenario
	if searched(s) != nil {
		text := "a search (" + string(s.Search.Preset) + ") in each direction of each visit: some ten to a hundred trials each"
		if b := longestSearch(s.Search); b > 0 {
			text += ", at most " + b.String()
		}
		list = append(list, text)
	}
	if s.Soak.Asked() {
		list = append(list, "a soak of "+s.Duration.String()+" in each direction of each visit")
	}
	if s.Stress.Asked() {
		list = append(list, "the stress study: the capacity of each UPF is found first, then its loads are shares of it")
	}
	return list
}
