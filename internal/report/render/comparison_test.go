package render_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/comparison"
)

// five is the sample run five times; eUPF's figures are changed by factor.
func five(t testing.TB, factor float64) *record.Result {
	r := sample(t)
	for i := range r.DUTs {
		once := r.DUTs[i].Trials
		r.DUTs[i].Trials = nil
		for repeat, scatter := range []float64{1.004, 0.996, 1.001, 0.998, 1.002} {
			if r.DUTs[i].Name == "eupf" {
				scatter *= factor
			}
			for _, trial := range once {
				r.DUTs[i].Trials = append(r.DUTs[i].Trials, scaled(trial, repeat+1, scatter))
			}
		}
	}
	return r
}

// later is another run of the same.
func later(r *record.Result) *record.Result {
	r.Run, r.Started = "later", r.Started.Add(26*time.Hour)
	return r
}

// calibrated is the same, of a machine that hardly differs from itself.
func calibrated(r *record.Result) *record.Result {
	r.Calibration = &record.Calibration{Machine: r.Host.Fingerprint(), Device: "builtin:xdp", Runs: 8, Days: 2}
	for _, f := range []string{"rx_pps", "latency.p50", "latency.p99", "cpu_ns_per_packet", "program_ns_per_packet"} {
		r.Calibration.Scatter = append(r.Calibration.Scatter, record.Scatter{Figure: f, SD: 0.003, DF: 7, AcrossDays: true})
	}
	return r
}

func compared(t testing.TB, a, b *record.Result, o compare.Options) *compare.Comparison {
	t.Helper()
	o.Threshold = 0.03
	c, err := compare.Compare(compare.Input{Name: "results/before", Result: a}, compare.Input{Name: "results/after", Result: b}, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// comparisons are what every format is tried on.
func comparisons(t testing.TB) map[string]*compare.Comparison {
	slower := later(five(t, 0.85))
	slower.DUTs[1].Version = "v0.8.0"
	slower.Host.Kernel = "6.18.0"
	slower.DUTs[0].Trials[3].Valid = false
	slower.DUTs[0].Trials[3].Reasons = []string{"generator sent 0.9 % less than intended (4,955 of 5,000 packets)"}
	run := five(t, 1)
	run.Order = &record.Order{Seed: 1}
	for n, block := range stats.Blocks(len(run.DUTs), 5, 1, nil) {
		for _, i := range block {
			run.Order.Visit(n+1, run.DUTs[i].Label())
		}
	}
	long := later(five(t, 40))
	hostile := later(failed(t))
	hostile.Notes = []string{"a \x1b[31mred\x1b[0m note | with a bar", strings.Repeat("long ", 60)}
	return map[string]*compare.Comparison{
		"compare-worse":   compared(t, five(t, 1), slower, compare.Options{Noise: 0.003}),
		"compare-same":    compared(t, calibrated(five(t, 1)), calibrated(later(five(t, 1))), compare.Options{Raw: true}),
		"compare-once":    compared(t, sample(t), later(sample(t)), compare.Options{}),
		"compare-noise":   compared(t, sample(t), later(sample(t)), compare.Options{Noise: 0.02}),
		"compare-one-run": compared(t, run, run, compare.Options{DUT: run.DUTs[0].Name, Against: run.DUTs[1].Name}),
		"compare-failed":  compared(t, sample(t), hostile, compare.Options{}),
		"compare-far":     compared(t, calibrated(five(t, 1)), calibrated(long), compare.Options{}),
	}
}

func TestComparisonGolden(t *testing.T) {
	for name, c := range comparisons(t) {
		d, err := comparison.Report(c)
		if err != nil {
			t.Fatal(err)
		}
		for ending, write := range formats() {
			if out := rendered(t, write, d); ending != "html" {
				t.Run(name+"."+ending, func(t *testing.T) { golden(t, name+"."+ending, out) })
				if ending == "txt" {
					fits(t, name, out, 100)
				}
			}
		}
	}
}

func TestComparisonIsReadBack(t *testing.T) {
	for name, c := range comparisons(t) {
		var out bytes.Buffer
		if err := comparison.JSON(&out, c); err != nil {
			t.Fatal(err)
		}
		var got compare.Comparison
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(got.Pairs) != len(c.Pairs) || len(got.Gate.Worse) != len(c.Gate.Worse) {
			t.Errorf("%s: %d pairs, %d worse; want %d, %d", name, len(got.Pairs), len(got.Gate.Worse), len(c.Pairs), len(c.Gate.Worse))
		}
	}
}

func TestComparisonOfNothing(t *testing.T) {
	if _, err := comparison.Report(nil); err == nil {
		t.Error("no comparison was reported")
	}
	if err := comparison.JSON(&bytes.Buffer{}, nil); err == nil {
		t.Error("no comparison was written as JSON")
	}
}
