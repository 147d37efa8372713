// Package uncertainty makes the budget of a figure: what it may be off by, how much each source adds, and how far
// it may lie from the truth in all (JCGM 100:2008). What is not known is said so and never estimated.
package uncertainty

import (
	"math"
	"strings"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// The names of sources.
const (
	Repeatability = "repeatability"
	BetweenRuns   = "between runs"
	Arrivals      = "arrivals"
	Search        = "search resolution"
	Model         = "model"
	TimeStamps    = "time-stamp resolution"
	Exclusion     = "exclusion"
	Wire          = "wire"
	Attribution   = "CPU attribution"
	Clock         = "clock"
)

// Budgets are those of the headline figures of each UPF: of valid trials that are one trial but for the repeat,
// of what searches found, of safe loads and of applications' goodput.
func Budgets(r *record.Result) (list []record.Uncertainty) {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		if d.Reference {
			continue
		}
		for _, g := range repeats(d) {
			for _, q := range quantities() {
				if b, ok := budget(d, g, q, r.Calibration); ok {
					list = append(list, b)
				}
			}
		}
		for j := range d.Searches {
			list = append(list, found(d, &d.Searches[j], r.Calibration)...)
		}
		list = append(list, safeLoads(d, r.Calibration)...)
		list = append(list, goodputs(d, r.Calibration)...)
	}
	return list
}

// group are the valid repeats of a trial.
type group struct {
	key    record.Key
	trials []*record.Trial
}

func repeats(d *record.DUT) (list []group) {
	at := map[record.Key]int{}
	for i := range d.Trials {
		t := &d.Trials[i]
		if !t.Valid {
			continue
		}
		key := t.Key()
		n, known := at[key]
		if !known {
			n = len(list)
			at[key] = n
			list = append(list, group{key: key})
		}
		list[n].trials = append(list[n].trials, t)
	}
	return list
}

func words(k record.Key) string {
	return strings.Join([]string{string(k.Kind), string(k.Direction), k.Load.String(), k.Size}, " ")
}

// budget is that of a figure of repeats; ok is false where no trial has it.
func budget(d *record.DUT, g group, q quantity, c *record.Calibration) (b record.Uncertainty, ok bool) {
	var values []float64
	for _, t := range g.trials {
		if v := q.of(t); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 || len(values) < len(g.trials) {
		return b, false
	}
	b = record.Uncertainty{DUT: d.Label(), Of: words(g.key), Kind: g.key.Kind, Where: g.key.Direction, Figure: q.name, Unit: q.unit,
		Value: stats.Mean(values), Trials: len(values)}
	b.Sources = append(b.Sources, repeatability(values), betweenRuns(c, q.name, g.key.Load, b.Value))
	b.Sources = append(b.Sources, q.sources(g.trials, b.Value)...)
	b.Bound = boundOf(q.name, g.trials)
	combine(&b)
	return b, true
}

// boundOf is what the mean of trials is to the UPF's own figure: a bound where those of at least half of them are, as in
// the tables.
func boundOf(name string, trials []*record.Trial) record.Bound {
	f, _ := figure.Of(name)
	bounds := map[record.Bound]int{}
	for _, t := range trials {
		bounds[f.BoundOf(t)]++
	}
	for _, b := range []record.Bound{record.AtMost, record.AtLeast} {
		if 2*bounds[b] >= len(trials) {
			return b
		}
	}
	return ""
}

// repeatability is the standard uncertainty of the mean of the repeats (4.2.3).
func repeatability(values []float64) record.Source {
	s := record.Source{Source: Repeatability, Type: "A"}
	n := float64(len(values))
	if n < 2 {
		s.Why = "one trial: repeats show it"
		return s
	}
	mean, sum := stats.Mean(values), 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return known(s, math.Sqrt(sum/(n-1)/n*repeating(values, mean, sum)), n-1, "standard deviation of the mean of the repeats")
}

// repeating is by how much the variance of a mean is larger where each repeat is near the one before: (1 + r) / (1 - r)
// of an autoregressive process of order 1. Fewer repeats than enough do not show it.
func repeating(values []float64, mean, sum float64) float64 {
	const enough, most = 7, 0.8
	if len(values) < enough || sum == 0 {
		return 1
	}
	neighbours := 0.0
	for i := 1; i < len(values); i++ {
		neighbours += (values[i] - mean) * (values[i-1] - mean)
	}
	r := min(max(0, neighbours/sum+1/float64(len(values))), most) // it seems less by 1/n (Kendall, 1954)
	return (1 + r) / (1 - r)
}

// betweenRuns is how far the machine of one run is from its mean.
func betweenRuns(c *record.Calibration, name string, load record.Load, value float64) record.Source {
	s := record.Source{Source: BetweenRuns, Type: "A"}
	f, _ := figure.Of(name)
	scatter := between.OfDay(c, f)
	switch {
	case name == "rx_pps" && !load.Max():
		s.Why = "the load was paced: the rate is what was offered"
	case name == "frame_loss_ratio":
		s.Why = "a calibration has no loss"
	case scatter.Assumed:
		s.Why = "uncalibrated: sudo upflab calibrate measures it"
	default:
		return known(s, scatter.SD*math.Abs(value), scatter.DF, between.Rests(c)+" of "+c.Device)
	}
	return s
}

// known gives a source its value.
func known(s record.Source, value, df float64, why string) record.Source {
	s.Value, s.DF, s.Why = &value, df, why
	return s
}

// rectangular is the standard uncertainty of what lies anywhere within a width (4.3.7).
func rectangular(width float64) float64 { return width / math.Sqrt(12) }

// combine adds up what is known (5.1.2), with the effective degrees of freedom of G.4.1. Without observations of
// how far another trial lies there is no sum: what is left would be far too small.
func combine(b *record.Uncertainty) {
	var variance, below float64
	observed := false
	for i := range b.Sources {
		s := &b.Sources[i]
		if s.Value == nil || s.Within != "" {
			continue
		}
		v := *s.Value * *s.Value
		variance += v
		if s.DF > 0 {
			below += v * v / s.DF
		}
		observed = observed || s.Type == "A"
		b.AcrossRuns = b.AcrossRuns || s.Source == BetweenRuns
	}
	if !observed {
		b.NotKnown = "there is one trial and no calibration of this machine: use repeats, or `sudo upflab calibrate`"
		return
	}
	for i := range b.Sources {
		if s := &b.Sources[i]; s.Value != nil && s.Within == "" && variance > 0 {
			s.Share = *s.Value * *s.Value / variance
		}
	}
	if variance == 0 {
		b.NotKnown = "all repeats are alike, so what scatter there is was not seen"
		if b.Figure == "frame_loss_ratio" && b.Value == 0 {
			b.NotKnown = "nothing was lost: under 3 in N of N packets, 95 %"
		}
		return
	}
	combined := math.Sqrt(variance)
	if below > 0 {
		b.DF = variance * variance / below
	}
	b.Coverage = stats.Reach(1, b.DF)
	expanded := b.Coverage * combined
	b.Combined, b.Expanded = &combined, &expanded
}
