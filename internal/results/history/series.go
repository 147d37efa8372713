package history

import (
	"slices"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
)

// Key is what the points of a series have in common.
type Key struct {
	Scenario  string           `json:"scenario"`
	Machine   string           `json:"machine"`
	DUT       string           `json:"dut"` // name:mode
	Metric    compare.Metric   `json:"metric"`
	Kind      record.Kind      `json:"kind"`
	Direction record.Direction `json:"direction"`
	Load      string           `json:"load"` // with size and sessions
}

// Point is the figure of one run.
type Point struct {
	Run     *Run    `json:"-"`
	Path    string  `json:"folder"`  // the run's, below the store's
	Version string  `json:"version"` // of the DUT
	Value   float64 `json:"value"`   // in the metric's unit
	ByWire  float64 `json:"-"`       // NaN: wire has no such figure
	Repeats int     `json:"repeats"`
	Bounded bool    `json:"bounded"` // something other than the DUT limited it
	// Sign is what kind of a bound it is: "≥ ", "≤ ", "~ " from both sides; "": none.
	Sign string `json:"sign,omitempty"`
}

// Series is one figure over the runs.
type Series struct {
	Key
	Reference bool    `json:"reference"`
	Points    []Point `json:"points"` // by the time at which the runs started
	// ByWire is true where the changes were looked for in the figures with wire's taken out.
	ByWire bool `json:"by_wire"`
	// Noise is the standard deviation from run to run, as a ratio, of frame loss a
	// difference; 0 of fewer runs than can tell.
	Noise   float64  `json:"noise"`
	Levels  []Level  `json:"levels"`
	Changes []Change `json:"changes"`

	noise  float64     // on the metric's scale
	tested [][]float64 // the figures in each way in which a regression has to show
}

// Level is that of points [From, To), in the metric's unit, or by wire.
type Level struct {
	From  int     `json:"from"`
	To    int     `json:"to"`
	Value float64 `json:"value"`
}

// Change is one of the level.
type Change struct {
	At    int     `json:"at"`    // the first point of the new level
	Ratio float64 `json:"ratio"` // by how much, 0.05 being 5 % more; of frame loss a difference
	Worse bool    `json:"worse"`
}

// Limits are the thresholds on the figure, of the newest run that has any.
func (s *Series) Limits() (list []Limit) {
	for _, p := range slices.Backward(s.Points) {
		for _, l := range p.Run.Limits {
			if l.DUT == s.DUT && l.Metric == s.Metric && l.Kind == s.Kind && l.Direction == s.Direction && l.Load == s.Load {
				list = append(list, l)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// Runs is how many runs have the new level so far.
func (s *Series) Runs(c Change) int {
	for _, l := range s.Levels {
		if l.From == c.At {
			return l.To - l.From
		}
	}
	return 0
}

// SmallestStep is the change, as a ratio, that is found within five runs in nine series of
// ten, by simulation; 0: unknown.
func (s *Series) SmallestStep() float64 {
	const timesNoise = 2.25
	return s.Metric.Change(timesNoise * s.noise)
}

// Series lists the figures over the runs that a filter chooses, in the order in which they
// first appeared, references last, and these runs. A run that is there twice, as a copy,
// counts once.
func (x *Index) Series(f Filter) ([]*Series, []*Run) {
	runs := x.withReadings(f)
	return seriesOf(once(runs)), runs
}

// once leaves out runs that cannot be read, and copies.
func once(runs []*Run) (list []*Run) {
	type identity struct {
		id, machine string
		started     time.Time
	}
	seen := map[identity]bool{}
	for _, r := range runs {
		same := identity{r.ID, r.Machine, r.Started.UTC()}
		if r.Unreadable == "" && !seen[same] {
			seen[same] = true
			list = append(list, r)
		}
	}
	return list
}

func seriesOf(runs []*Run) []*Series {
	var all, references []*Series
	byKey := map[Key]*Series{}
	for _, r := range runs {
		for _, v := range r.readings {
			key := Key{r.Scenario, r.Machine, v.DUT, v.Metric, v.Kind, v.Direction, v.Load}
			s := byKey[key]
			if s == nil {
				s = &Series{Key: key, Reference: v.Reference}
				byKey[key] = s
				if s.Reference {
					references = append(references, s)
				} else {
					all = append(all, s)
				}
			}
			s.Points = append(s.Points,
				Point{Run: r, Path: r.Path, Version: v.Version, Value: v.Value, ByWire: v.byWire(), Repeats: v.N,
					Bounded: v.Bounded, Sign: v.Sign})
		}
		r.readings = nil // they are in the series now
	}
	for _, s := range references {
		s.divide(false)
	}
	for _, s := range all {
		s.divide(drifted(s, references))
	}
	return append(all, references...)
}

// drifted reports whether the same figure of a reference has no constant level.
func drifted(s *Series, references []*Series) bool {
	for _, r := range references {
		key := r.Key
		key.DUT = s.DUT
		if key == s.Key && len(r.Changes) > 0 {
			return true
		}
	}
	return false
}
