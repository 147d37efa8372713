package scenario

import (
	"slices"
	"strconv"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Stress asks for the stress study: latency, loss and CPU over load, and queueing models
// of them.
type Stress struct {
	// Arrival processes, each in trials of its own, in place of the key arrivals: constant,
	// poisson. Empty: no stress study.
	Arrivals []Arrivals `yaml:"arrivals" enum:"constant,poisson" items:"..2" unique:"true" example:"constant,poisson"`
	// Loads as shares of the capacity, where loads is auto. The capacity of each DUT and
	// direction is found in a few short trials first.
	Shares []float64 `yaml:"shares" range:"0.001..3" items:"..50" unique:"true" example:"0.1,0.5,0.9,1.1"`
	// The DUT whose capacity loads are shares of, for all DUTs: as with its mode in a report.
	// Empty: each DUT's own.
	Of string `yaml:"of" example:"open5gs:tun"`
	// What the safe load keeps, each with p99, the 99th percentile of latency, and loss, the
	// frame loss ratio. In short: P99:LOSS.
	Targets []LoadTarget `yaml:"targets" plural:"targets" short:"p99:loss" items:"..8" example:"5ms:0.001"`
	// One packet in so many is timed at both ports of the DUT; 0: none.
	Taps int `yaml:"taps" enum:"0,1,2,4,8,16,32,64,128,256" example:"64"`
	// How long the DUT is watched idle before and after the traffic of one trial in each
	// direction.
	Around Duration `yaml:"around" range:"0s..10m" example:"5s"`
	// Length of a load trial in packets: the more, the lower its load, the longer it takes;
	// 0: duration.
	Packets int `yaml:"packets" range:"0..1000000000" unit:"packets" example:"5000000"`
}

// LoadTarget is what a safe load keeps.
type LoadTarget struct {
	// The 99th percentile of latency, from the intended send time, is at most this; 0s: no
	// bound.
	P99 Duration `yaml:"p99" range:"0s..1m" default:"0s" example:"5ms"`
	// Frame loss ratio that it may have.
	Loss Ratio `yaml:"loss" range:"0..0.99" default:"0.001" example:"0.001"`
}

// Asked reports whether there is to be a stress study.
func (s Stress) Asked() bool { return len(s.Arrivals) > 0 }

// Auto reports whether the run chooses the loads.
func (s *Scenario) Auto() bool {
	return slices.ContainsFunc(s.Loads, func(l record.Load) bool { return l.Kind == record.LoadAuto })
}

// Lasts is how long a load trial of the stress study takes.
func (s *Scenario) Lasts(load record.Load) time.Duration {
	if s.Stress.Packets == 0 || load.PPS == 0 {
		return s.Duration.Duration
	}
	return time.Duration(float64(s.Stress.Packets) / load.PPS * float64(time.Second))
}

// FullStress is what --full replaces for the stress study.
type FullStress struct {
	// Replaces loads; empty: they stay.
	Loads []record.Load `yaml:"loads" range:"1..1G" items:"..100" example:"1k,2k"`
	// Replaces stress.packets; 0: it stays.
	Packets int `yaml:"packets" range:"0..1000000000" unit:"packets" example:"5000000"`
	// Replaces repeats; 1: it stays.
	Repeats int `yaml:"repeats" range:"1..1000" example:"10"`
}

func (f FullStress) apply(s *Scenario) {
	if len(f.Loads) > 0 {
		s.Loads = f.Loads
	}
	if f.Packets > 0 {
		s.Stress.Packets = f.Packets
	}
	s.Repeats = max(s.Repeats, f.Repeats)
}

// checkStress checks what the stress study needs.
func checkStress(s *Scenario, r *report) {
	switch {
	case s.Auto() && !s.Stress.Asked():
		r.blame("loads auto are shares of what a DUT carries, and belong to the stress study; set stress.arrivals "+
			"to constant, poisson or both, or loads to rates", nil, "loads", "stress.arrivals")
	case s.Auto() && len(s.Loads) > 1:
		r.blame("loads has auto and others; keep auto alone, or list rates", nil, "loads")
	case s.Auto() && len(s.Stress.Shares) == 0:
		r.blame("loads auto needs shares of the capacity; set stress.shares, or loads to rates", nil, "stress.shares", "loads")
	case s.Stress.Of != "" && !s.Auto():
		r.blame("stress.of is whose capacity the loads are shares of, and loads lists rates; set loads to auto, "+
			"or stress.of to nothing", nil, "stress.of", "loads")
	case s.Stress.Asked() && s.Soak.Asked():
		r.blame("a stress study and a soak are two runs; set soak.share to 0, or stress.arrivals to nothing", nil,
			"soak.share", "stress.arrivals")
	}
	for _, t := range s.Stress.Targets {
		if t.P99.Duration == 0 && t.Loss == 0 {
			r.blame("a target of stress.targets has neither a p99 above 0s nor a loss above 0; give at least one", nil, "stress.targets")
		}
	}
}

// Soak asks for a long trial at a share of the load that was found or given.
type Soak struct {
	// Share of the load that was found or given; 0: no soak.
	Share float64 `yaml:"share" range:"0..1" example:"0.5"`
	// Frame loss ratio that the soak may have; beyond it the exit status is 4.
	LossBudget Ratio `yaml:"loss_budget" range:"0..1" example:"0.001"`
	// By how much of their medians latency (p50, p99) and CPU may change in the whole soak.
	Drift float64 `yaml:"drift" range:"0..10" example:"0.05"`
	// By how much of its median memory may change in the whole soak.
	MemoryGrowth float64 `yaml:"memory_growth" range:"0..10" example:"0.01"`
}

// Ratio is a small share that YAML writes without an exponent: "0.00001".
type Ratio float64

// MarshalYAML implements yaml.BytesMarshaler: it writes the ratio as a scenario has it.
func (r Ratio) MarshalYAML() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(r), 'f', -1, 64), nil
}

// Asked reports whether there is to be a soak.
func (s Soak) Asked() bool { return s.Share > 0 }

// LoadTargets are the targets as results have them.
func (s Stress) LoadTargets() (list []record.LoadTarget) {
	for _, t := range s.Targets {
		list = append(list, record.LoadTarget{P99NS: float64(t.P99.Duration), LossRatio: float64(t.Loss)})
	}
	return list
}
