package scenario

import "github.com/upflab/upflab/internal/record"

// Search asks for the rates that a DUT carries, and for its buffer. Durations,
// numbers and ratios of 0 are those of the preset unless it says otherwise.
type Search struct {
	Preset   string      `yaml:"preset"` // SearchOff, or a preset of package search
	Methods  []Method    `yaml:"method"` // in this order
	Goals    []Goal      `yaml:"goals"`  // of mlrsearch, beside those of the preset
	Min      record.Load `yaml:"min"`
	Max      record.Load `yaml:"max"`
	Duration Duration    `yaml:"duration"` // of a trial of rfc2544, tst009 and loss-curve
	// Step is the distance of two loads of rfc2544 and tst009, packets/s; 0: a
	// ten thousandth of the highest load.
	Step     int `yaml:"step"`
	Attempts int `yaml:"attempts"` // max(r) of TST 009 clause 12.3.3, 2..100
	GiveUp   int `yaml:"give_up"`  // z of the clause, packets; 0: none
	// CurveStep is the distance of two loads of a loss curve, a share of the
	// highest; CurveAll goes on down to one step above 0.
	CurveStep float64 `yaml:"curve_step"`
	CurveAll  bool    `yaml:"curve_all"`
	// BurstMax is the longest burst tried, packets, 0: the preset's; BurstRepeats is how often the
	// longest without loss is searched.
	BurstMax     int      `yaml:"burst_max"`
	BurstRepeats int      `yaml:"burst_repeats"`
	Budget       Duration `yaml:"budget"` // of one search
	Pause        Duration `yaml:"pause"`  // before each trial
	// LatencyRepeats is how many latency trials are made at each share of a rate.
	LatencyRepeats int `yaml:"latency_repeats"`
}

// SearchOff is the preset of a scenario that does not search.
const SearchOff = "off"

// Method is a kind of search.
type Method string

// The methods.
const (
	MethodMLRsearch  Method = "mlrsearch"    // RFC 9971
	MethodRFC2544    Method = "rfc2544"      // RFC 2544 clause 26.1 by binary search
	MethodTST009     Method = "tst009"       // the same with loss verification
	MethodLossCurve  Method = "loss-curve"   // RFC 2544 clause 26.3
	MethodBackToBack Method = "back-to-back" // RFC 9004
)

// Goal is a Search Goal (RFC 9971 clause 4.6.7) of the user's own.
type Goal struct {
	Name            string   `yaml:"name"`
	LossRatio       float64  `yaml:"loss_ratio"`
	Width           float64  `yaml:"width"`            // 0: the preset's
	InitialDuration Duration `yaml:"initial_duration"` // 0: the preset's
	FinalDuration   Duration `yaml:"final_duration"`   // 0: the preset's
	DurationSum     Duration `yaml:"duration_sum"`     // 0: the preset's
	ExceedRatio     float64  `yaml:"exceed_ratio"`     // below 0: the preset's
}

// FullSearch is what --full replaces of Search.
type FullSearch struct {
	Preset         string   `yaml:"preset"` // SearchOff: stays
	Pause          Duration `yaml:"pause"`  // 0: stays
	LatencyRepeats int      `yaml:"latency_repeats"`
}

// apply makes the scenario the long one.
func (f Full) apply(s *Scenario) {
	s.Duration, s.Latency = f.Duration, f.Latency
	if f.Settle.Duration > 0 {
		s.Settle = f.Settle
	}
	if f.Search.Preset != SearchOff {
		s.Search.Preset = f.Search.Preset
	}
	if f.Search.Pause.Duration > 0 {
		s.Search.Pause = f.Search.Pause
	}
	s.Search.LatencyRepeats = max(s.Search.LatencyRepeats, f.Search.LatencyRepeats)
}

func decodeSearch(n *node) Search {
	low, _ := ParseRate(n.get("min").short())
	high, _ := ParseRate(n.get("max").short())
	s := Search{
		Preset: n.text("preset"), Min: low, Max: high, Duration: n.duration("duration"),
		Step: n.integer("step"), Attempts: n.integer("attempts"), GiveUp: n.integer("give_up"),
		CurveStep: n.number("curve_step"), CurveAll: n.boolean("curve_all"),
		BurstMax: n.integer("burst_max"), BurstRepeats: n.integer("burst_repeats"),
		Budget: n.duration("budget"), Pause: n.duration("pause"), LatencyRepeats: n.integer("latency_repeats"),
	}
	for _, item := range n.list("method") {
		s.Methods = append(s.Methods, Method(item.short()))
	}
	for _, item := range n.list("goals") {
		s.Goals = append(s.Goals, decodeGoal(item))
	}
	return s
}

func decodeGoal(n *node) Goal {
	g := Goal{
		Name: n.text("name"), LossRatio: n.number("loss_ratio"), Width: n.number("width"), ExceedRatio: -1,
		InitialDuration: n.duration("initial_duration"), FinalDuration: n.duration("final_duration"),
		DurationSum: n.duration("duration_sum"),
	}
	if n.get("exceed_ratio") != nil {
		g.ExceedRatio = n.number("exceed_ratio")
	}
	return g
}

func decodeFullSearch(n *node) FullSearch {
	return FullSearch{Preset: n.text("preset"), Pause: n.duration("pause"), LatencyRepeats: n.integer("latency_repeats")}
}
