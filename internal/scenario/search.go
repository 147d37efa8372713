package scenario

import "github.com/upflab/upflab/internal/record"

// Search asks for the rates that a DUT carries, and for its buffer. Durations,
// numbers and ratios of 0 are those of the preset unless it says otherwise.
type Search struct {
	// How thorough: quick (about half a minute per DUT and direction), csit (the goals of FD.io
	// CSIT), rfc2544 (60 s trials, loss 0), or off: no search.
	Preset string `yaml:"preset" enum:"off,quick,csit,rfc2544" example:"csit"`
	// What is searched, in this order: mlrsearch (RFC 9971, several loss ratios at once),
	// rfc2544 (throughput by binary search), tst009 (the same with loss verification),
	// loss-curve (RFC 2544 frame loss rate), back-to-back (RFC 9004: the longest burst without
	// loss, and the buffer behind it).
	Methods []Method `yaml:"method" enum:"mlrsearch,rfc2544,tst009,loss-curve,back-to-back" items:"1.." unique:"true" example:"rfc2544,loss-curve"`
	// Goals of mlrsearch in addition to the preset's (RFC 9971 clause 4.6.7), each with name
	// and loss_ratio, and optionally width, initial_duration, final_duration, duration_sum,
	// exceed_ratio. In short: NAME:LOSS_RATIO.
	Goals []Goal `yaml:"goals" plural:"goals" short:"name:loss_ratio" items:"..8" example:"loose:0.01"`
	// Lowest load that is tried.
	Min record.Load `yaml:"min" kind:"rate" range:"1..1G" example:"1k"`
	// Highest load that is tried. What the generator sent unpaced just before (a load of
	// max) bounds it too.
	Max record.Load `yaml:"max" kind:"rate" range:"1..1G" example:"2M"`
	// Trial of rfc2544, tst009 and loss-curve; 0s: the preset's.
	Duration Duration `yaml:"duration" range:"0s..1h" example:"10s"`
	// Smallest distance of two loads of rfc2544 and tst009; 0: a ten thousandth of the
	// highest load.
	Step             int `yaml:"step" range:"0..100000000" unit:"packets/s" example:"1000"`
	LossVerification `yaml:",inline"`
	LossCurve        `yaml:",inline"`
	BackToBack       `yaml:",inline"`
	// Longest time for one search; 0s: the preset's.
	Budget Duration `yaml:"budget" range:"0s..168h" example:"5m"`
	// Pause before each trial of a search.
	Pause Duration `yaml:"pause" range:"0s..10m" example:"5s"`
	// Latency trials at each share of the rate found.
	LatencyRepeats int `yaml:"latency_repeats" range:"1..1000" example:"20"`
}

// LossVerification is what tst009 alone takes.
type LossVerification struct {
	// Trials that tst009 gives a load to be without loss: max(r) of ETSI GS NFV-TST 009
	// clause 12.3.3.
	Attempts int `yaml:"attempts" range:"2..100" example:"3"`
	// tst009 does not repeat a trial that lost more: z of the clause; 0: it repeats all.
	GiveUp int `yaml:"give_up" range:"0..1000000000" unit:"packets" example:"1000"`
}

// LossCurve is what loss-curve alone takes.
type LossCurve struct {
	// Distance of the loads of loss-curve, as a share of the highest load.
	CurveStep float64 `yaml:"curve_step" range:"0.001..0.5" example:"0.05"`
	// loss-curve goes down to one step above 0; else it ends after two loads without loss.
	CurveAll bool `yaml:"curve_all" example:"true"`
}

// BackToBack is what back-to-back alone takes.
type BackToBack struct {
	// Longest burst that back-to-back tries; 0: the preset's 20 ms, 200 ms or 30 s at the
	// generator's rate.
	BurstMax int `yaml:"burst_max" range:"0..100000000" unit:"packets" example:"1000000"`
	// How often back-to-back searches the longest burst; 0: the preset's 3, 10 or 50.
	BurstRepeats int `yaml:"burst_repeats" range:"0..1000" example:"50"`
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
	// What reports call it. ndr and pdr replace the preset's.
	Name string `yaml:"name" kind:"goal" required:"true" example:"loose"`
	// Goal Loss Ratio: a trial that loses more is a high-loss trial.
	LossRatio float64 `yaml:"loss_ratio" range:"0..0.99" required:"true" example:"0.01"`
	// Goal Width, (upper - lower) / upper; 0: the preset's.
	Width float64 `yaml:"width" range:"0..0.5" example:"0.01"`
	// Initial trial duration; 0s: the preset's.
	InitialDuration Duration `yaml:"initial_duration" range:"0s..1h" example:"2s"`
	// Goal Final Trial Duration; 0s: the preset's.
	FinalDuration Duration `yaml:"final_duration" range:"0s..1h" example:"2s"`
	// Goal Duration Sum; 0s: the preset's.
	DurationSum Duration `yaml:"duration_sum" range:"0s..1h" example:"2s"`
	// Goal Exceed Ratio: the part of the duration sum that may be high-loss trials; -1: the
	// preset's.
	ExceedRatio float64 `yaml:"exceed_ratio" range:"-1..0.99" default:"-1" example:"0.5"`
}

// FullSearch is what --full replaces of Search.
type FullSearch struct {
	// Replaces search.preset; off: it stays.
	Preset string `yaml:"preset" enum:"off,quick,csit,rfc2544" example:"rfc2544"`
	// Replaces search.pause; 0s: it stays.
	Pause Duration `yaml:"pause" range:"0s..10m" example:"5s"`
	// Replaces search.latency_repeats; 1: it stays.
	LatencyRepeats int `yaml:"latency_repeats" range:"1..1000" example:"20"`
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
	f.Stress.apply(s)
	s.Search.LatencyRepeats = max(s.Search.LatencyRepeats, f.Search.LatencyRepeats)
}
