// Package flags has flags that commands of several groups take.
package flags

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
)

// KnownFigures refuses names that no figure of comparisons has, given by a flag.
func KnownFigures[Name ~string](flag string, names []Name) error {
	for _, m := range names {
		if err := compare.Named(string(m)).Check(); err != nil {
			return fmt.Errorf("%s %s: %w", flag, m, err)
		}
	}
	return nil
}

// Comparison are the flags that say what is compared, and how.
type Comparison struct {
	DUT, Against string
	Metrics      []string
	Raw          bool
	Noise        []string
	Threshold    Ratio
	Format       string
}

// Options are what they mean.
func (f Comparison) Options() (compare.Options, error) {
	o := compare.Options{DUT: f.DUT, Against: f.Against, Raw: f.Raw, Threshold: float64(f.Threshold), NoiseOf: map[compare.Metric]float64{}}
	for _, m := range f.Metrics {
		o.Metrics = append(o.Metrics, compare.Named(strings.TrimSpace(m)))
	}
	for _, text := range f.Noise {
		metric, value, named := strings.Cut(text, "=")
		if !named {
			value = text
		}
		var r Ratio
		if err := r.Set(value); err != nil {
			return o, fmt.Errorf("--noise %s: %w", text, err)
		}
		if named {
			o.NoiseOf[compare.Named(metric)] = float64(r)
		} else {
			o.Noise = float64(r)
		}
	}
	return o, nil
}
