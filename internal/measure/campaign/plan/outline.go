package plan

import (
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/campaign/methods"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Outline is what a plan would do, without doing it.
type Outline struct {
	DUTs    []string // labels
	Visits  [][]int  // numbers of DUTs, by repeat, in the order of their visits
	Folders []string // of the DUTs, below the result's
	Repeats int      // 0: as many as Until says
	Until   string
	// Trials are those of one visit, Flows likewise.
	Trials []OutlineTrial
	Flows  []scenario.Flow
	Links  int // kinds of link, each with all flows
	// Cases is how many cases or incidents a visit has, and Of which of the two they are.
	Cases int
	Of    string
	// Longer: trials that the machine disturbs go on, at most three times as long.
	Longer bool
	// Open are steps whose number and length the run decides: sentences.
	Open []string
	// Takes is about how long the run takes, with what is usual for the steps in Open.
	Takes time.Duration
	// Each is about how long a repeat takes where the run decides how many there are, and Takes the most that they may.
	Each time.Duration
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
	// A search stops early as often as disturbed trials make it longer, so it takes its budget; one by
	// other methods than MLRsearch takes half of what it may.
	otherSearch = 0.5
	// A search for what a UPF carries has some 16 trials; what opens and closes the probes at a UPF's ports
	// comes with each pair that shows their cost; and models are fitted to each sweep.
	capacityTrials = 16
	probesTake     = time.Second
	modelsTake     = 2 * time.Second
	// All that a study of the control plane does for each procedure of a UPF.
	procedureTakes = time.Minute
	// A case takes several times as long with a UPF that has findings, because what should come is
	// waited for: the reference UPF has none.
	findings = 3.3
)

// Outline says what the plan would do.
func (p *Plan) Outline() Outline {
	s := p.Scenario
	o := Outline{Repeats: s.Repeats, Visits: p.Order(), Open: open(p), Longer: s.Disturbed == scenario.DisturbedExclude}
	if s.Until.Asked() {
		o.Repeats, o.Until = 0, untilWords(p)
	}
	for _, t := range p.Targets {
		o.DUTs, o.Folders = append(o.DUTs, t.Label()), append(o.Folders, Folder(t))
	}
	var visit time.Duration
	if k := p.Kind(); k.outline != nil {
		visit = k.outline(p, &o)
	}
	o.Longer = o.Longer && o.Cases == 0 // only trials of traffic have windows
	for _, t := range p.Targets {
		o.Takes += time.Duration(max(o.Repeats, 1)) * (time.Duration(float64(visit)*pace(s, t)) + visitTakes + opens(p, t))
	}
	if s.Until.Asked() {
		o.Each, o.Takes = o.Takes, s.Until.AtMost.Duration
	}
	if s.Stress.Asked() {
		each := s.Warmup.Duration + s.Duration.Duration + s.Settle.Duration + trialTakes
		o.Takes += time.Duration(p.stressTrials())*each + time.Duration(len(p.Targets.upfs()))*preparationTakes(p)
	}
	return o
}

// pace is how many times as long as with the reference UPF the steps of a visit take.
func pace(s *scenario.Scenario, t dut.Target) float64 {
	if s.Kind == scenario.KindBehaviour && t.Name() != "builtin" {
		return findings
	}
	return 1
}

// opens is about how long the steps of a visit take whose number and length the run decides.
func opens(p *Plan, t dut.Target) (takes time.Duration) {
	s := p.Scenario
	each := time.Duration(len(s.Directions) * len(p.Sizes()))
	if methods.Directions(s) != nil {
		list := methods.Of(s.Search)
		if IsReference(t.Name()) {
			list = p.OfWire(list)
		}
		for _, m := range list {
			takes += each * usualSearch(s.Search, m)
		}
	}
	if IsReference(t.Name()) {
		return takes
	}
	if s.Soak.Asked() {
		takes += each * s.Duration.Duration
	}
	if s.Control.Asked() {
		takes += time.Duration(len(s.Control.Procedures)) * procedureTakes
	}
	return takes
}

// usualSearch is about how long a search by one method takes.
func usualSearch(s scenario.Search, m scenario.Method) time.Duration {
	if m == scenario.MethodMLRsearch {
		return methods.MostTime(s, m)
	}
	return time.Duration(float64(methods.MostTime(s, m)) * otherSearch)
}

// outlineTrials adds the trials of a visit.
func outlineTrials(p *Plan, o *Outline) (visit time.Duration) {
	s := p.Scenario
	for _, t := range p.Specs(1) {
		o.Trials = append(o.Trials, OutlineTrial{t.Kind, t.Direction, t.Size.Name, t.Load, t.Duration})
		visit += s.Warmup.Duration + t.Duration + s.Settle.Duration + trialTakes
	}
	return visit
}

// open lists what the run decides by what it finds.
func open(p *Plan) (list []string) {
	s := p.Scenario
	if methods.Directions(s) != nil {
		text := "a search (" + string(s.Search.Preset) + ") in each direction of each visit: some ten to a hundred trials each"
		if b := methods.Longest(s.Search); b > 0 {
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
