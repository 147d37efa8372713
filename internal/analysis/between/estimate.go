package between

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// Run is what one run of an unchanged device had.
type Run struct {
	Run      string    `json:"run"`
	Started  time.Time `json:"started"`
	Version  string    `json:"version"` // of upflab, whose device and generator they are
	Readings []Reading `json:"readings"`
	// Bench is what the run was sent and received by; nil: it is older.
	Bench *record.Bench `json:"bench,omitempty"`
	Wire  []Reading     `json:"wire,omitempty"` // of wire, in the same run
}

// Reading is a figure in one place: a kind of trial, a direction, a load.
type Reading struct {
	Figure string  `json:"figure"`
	Place  string  `json:"place"`
	Value  float64 `json:"value"`
}

// figures are those that a calibration has: what others scatter like.
func figures() []string {
	return []string{"rx_pps", "latency.p50", "latency.p99", "cpu_ns_per_packet"}
}

// Read takes the readings of a run: of the one DUT and of wire, and only the valid ones. Rates are those of unpaced
// loads, since paced ones are what was offered, and delays those of loads that were not.
func Read(r *record.Result) (run Run) {
	run = Run{Run: r.Run, Started: r.Started, Version: r.Tool.Version + " " + r.Tool.Commit}
	if b, ok := r.Bench(); ok {
		run.Bench = &b
	}
	for i := range r.DUTs {
		switch d := &r.DUTs[i]; {
		case d.Status == record.StatusFailed:
		case d.Reference:
			run.Wire = append(run.Wire, readings(d)...)
		default:
			run.Readings = append(run.Readings, readings(d)...)
		}
	}
	return run
}

func readings(d *record.DUT) (list []Reading) {
	for _, name := range figures() {
		f, _ := figure.Of(name)
		for _, s := range f.Samples(d) {
			if s.Valid && s.Value > 0 && s.Load.Max() != (f.Unit == figure.Nanos && f.Unloaded) {
				list = append(list, Reading{name, s.Place.Words(false), s.Value})
			}
		}
	}
	return list
}

// Estimate is the scatter of each figure over runs, by the logarithms of its readings. Places are pooled;
// they are of the same runs, so that each run counts once. Runs of another version of upflab are taken as of
// another device, with a mean of its own. Where runs are of three days or more the variance has a part
// between days (one-way analysis of variance; Searle, Casella, McCulloch, Variance Components, 1992, 3.6),
// and the degrees of freedom are Satterthwaite's.
func Estimate(runs []Run) (all []record.Scatter) {
	for _, name := range figures() {
		places := map[string][]point{}
		for _, r := range runs {
			for _, v := range r.Readings {
				if v.Figure == name && v.Value > 0 {
					places[v.Place] = append(places[v.Place], point{math.Log(v.Value), r.Started.UTC().Format(time.DateOnly), r.Version})
				}
			}
		}
		var list []component
		for _, points := range places {
			if c, ok := estimate(points); ok {
				list = append(list, c)
			}
		}
		if s, ok := pool(name, list); ok {
			all = append(all, s)
		}
	}
	return all
}

// point is the logarithm of a reading, and what it may depend on.
type point struct {
	log          float64
	day, version string
}

// component is the variance of one run on some day.
type component struct {
	variance, df float64
	betweenDays  float64 // of the variance
	days         bool    // that is known
	across       bool    // it is of days enough to contain what they differ by
}

// estimate is the variance of one place.
func estimate(points []point) (c component, ok bool) {
	points = slices.Clone(points)
	versions := centre(points, func(p point) string { return p.version })
	days := groups(points, func(p point) string { return p.day })
	n, k := float64(len(points)), float64(len(days))
	df, dayDF := n-float64(versions), k-float64(versions) // the mean of each version is taken out of its days
	if df < LeastRuns-1 {
		return c, false
	}
	total := 0.0
	for _, p := range points {
		total += p.log * p.log
	}
	const enough = 2 // degrees of freedom of days
	if dayDF < enough || n <= k {
		return component{variance: total / df, df: df, across: dayDF >= enough}, true
	}
	within, between, squares := 0.0, 0.0, 0.0
	for _, day := range days {
		m := stats.Mean(day)
		for _, v := range day {
			within += (v - m) * (v - m)
		}
		between += float64(len(day)) * m * m
		squares += float64(len(day) * len(day))
	}
	msWithin, msBetween := within/(n-k), between/dayDF
	perDay := (n - squares/n) / (k - 1)
	ofDays := (msBetween - msWithin) / perDay
	if ofDays <= 0 { // days show no more than runs of one day
		return component{variance: total / df, df: df, days: true, across: true}, true
	}
	// The variance is msBetween/perDay + msWithin (1 - 1/perDay).
	a, b := msBetween/perDay, msWithin*(1-1/perDay)
	c = component{variance: ofDays + msWithin, days: true, across: true, df: (a + b) * (a + b) / (a*a/dayDF + b*b/(n-k))}
	c.betweenDays = ofDays / c.variance
	return c, true
}

// pool is the root of the mean variance of a figure's places, no less than its resolution shows, on as few degrees of
// freedom as the least of them has.
func pool(name string, list []component) (s record.Scatter, ok bool) {
	if len(list) == 0 {
		return s, false
	}
	variance, days, across, share := 0.0, true, true, 0.0
	for _, c := range list {
		variance += c.variance / float64(len(list))
		share += c.betweenDays * c.variance / float64(len(list))
		days, across = days && c.days, across && c.across
	}
	least := slices.MinFunc(list, func(a, b component) int { return cmp.Compare(a.df, b.df) })
	f, _ := figure.Of(name)
	s = record.Scatter{Figure: name, SD: max(math.Sqrt(variance), leastSD(f)), DF: least.df, AcrossDays: across}
	if days && variance > 0 {
		share /= variance
		s.BetweenDays = &share
	}
	return s, true
}

// centre takes the mean of each group out of the points and returns how many groups there are.
func centre(points []point, of func(point) string) int {
	sums := groups(points, of)
	for i, p := range points {
		points[i].log -= stats.Mean(sums[of(p)])
	}
	return len(sums)
}

func groups(points []point, of func(point) string) map[string][]float64 {
	all := map[string][]float64{}
	for _, p := range points {
		all[of(p)] = append(all[of(p)], p.log)
	}
	return all
}

// usual is the bench of runs that are older than its note: those of a calibration had no other.
func usual(b record.Bench) bool { return b.Engine == "xdp" && b.N3 == "veth" && b.N6 == "veth" }

// Calibration sums the runs of a bench up; nil: there are too few.
func Calibration(machine, device string, bench *record.Bench, all []Run) *record.Calibration {
	runs := slices.DeleteFunc(slices.Clone(all), func(r Run) bool {
		return bench != nil && (r.Bench != nil && *r.Bench != *bench || r.Bench == nil && !usual(*bench))
	})
	runs = lately(runs)
	scatter := Estimate(runs)
	if len(scatter) == 0 {
		return nil
	}
	c := &record.Calibration{Machine: machine, Device: device, Runs: len(runs), Scatter: scatter, First: runs[0].Started, Last: runs[0].Started,
		Bench: bench, Wire: levels(runs)}
	days := map[string]bool{}
	for _, r := range runs {
		days[r.Started.UTC().Format(time.DateOnly)] = true
		if r.Started.Before(c.First) {
			c.First = r.Started
		}
		if r.Started.After(c.Last) {
			c.Last = r.Started
		}
	}
	c.Days = len(days)
	c.Seal()
	return c
}

// lately leaves out what is older than a calibration is valid: one new run does not make old ones count again.
func lately(runs []Run) []Run {
	var last time.Time
	for _, r := range runs {
		if r.Started.After(last) {
			last = r.Started
		}
	}
	return slices.DeleteFunc(runs, func(r Run) bool { return last.Sub(r.Started) > record.CalibrationLasts })
}

// levels are those of wire, in the order in which runs have them.
func levels(runs []Run) (list []record.Level) {
	type at struct{ figure, place string }
	values := map[at][]float64{}
	var order []at
	for _, r := range runs {
		for _, v := range r.Wire {
			key := at{v.Figure, v.Place}
			if values[key] == nil {
				order = append(order, key)
			}
			values[key] = append(values[key], v.Value)
		}
	}
	for _, key := range order {
		all := values[key]
		list = append(list, record.Level{Figure: key.figure, Place: key.place, Median: stats.Median(all), Min: slices.Min(all), Max: slices.Max(all)})
	}
	return list
}
