package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/upflab/upflab/internal/compare"
	"github.com/upflab/upflab/internal/record"
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

func comparison(t testing.TB, a, b *record.Result, o compare.Options) *compare.Comparison {
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
	long := later(five(t, 40))
	hostile := later(failed(t))
	hostile.Notes = []string{"a \x1b[31mred\x1b[0m note | with a bar", strings.Repeat("long ", 60)}
	return map[string]*compare.Comparison{
		"compare-worse":   comparison(t, five(t, 1), slower, compare.Options{}),
		"compare-same":    comparison(t, five(t, 1), later(five(t, 1)), compare.Options{Raw: true}),
		"compare-once":    comparison(t, sample(t), later(sample(t)), compare.Options{}),
		"compare-noise":   comparison(t, sample(t), later(sample(t)), compare.Options{Noise: 0.02}),
		"compare-one-run": comparison(t, run, run, compare.Options{DUT: run.DUTs[0].Name, Against: run.DUTs[1].Name}),
		"compare-failed":  comparison(t, sample(t), hostile, compare.Options{}),
		"compare-far":     comparison(t, five(t, 1), long, compare.Options{}),
	}
}

func TestCompareGolden(t *testing.T) {
	for name, c := range comparisons(t) {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".txt", exported(t, CompareText, c))
			golden(t, name+".md", exported(t, CompareMarkdown, c))
		})
	}
}

func TestCompareFitsATerminal(t *testing.T) {
	for name, c := range comparisons(t) {
		for _, line := range strings.Split(string(exported(t, CompareText, c)), "\n") {
			if n := utf8.RuneCountInString(line); n > textWidth {
				t.Errorf("%s: %d characters: %q", name, n, line)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
				t.Errorf("%s: control character in %q", name, line)
			}
		}
	}
}

func TestCompareJSONIsReadBack(t *testing.T) {
	for name, c := range comparisons(t) {
		var got compare.Comparison
		if err := json.Unmarshal(exported(t, CompareJSON, c), &got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(got.Pairs) != len(c.Pairs) || len(got.Gate.Worse) != len(c.Gate.Worse) {
			t.Errorf("%s: %d pairs, %d worse; want %d, %d", name, len(got.Pairs), len(got.Gate.Worse), len(c.Pairs), len(c.Gate.Worse))
		}
	}
}

func TestCompareOfNothing(t *testing.T) {
	for _, export := range []CompareExporter{CompareText, CompareMarkdown, CompareJSON} {
		if err := export(&bytes.Buffer{}, nil); err == nil {
			t.Error("no comparison was reported")
		}
	}
}

func TestSigned(t *testing.T) {
	for _, c := range []struct {
		ratio float64
		want  string
	}{
		{0, "0"}, {0.00001, "0"}, {-0.00001, "0"}, {0.0123, "+1.23"}, {-0.0996, "-10.0"}, {0.123, "+12.3"},
		{-0.996, "-100"}, {1.5, "+150"}, {9.99, "+999"}, {10, "×11"}, {149.4, "×150"}, {-1, "-100"},
	} {
		if got := signed(c.ratio); got != c.want {
			t.Errorf("signed(%v) = %q, want %q", c.ratio, got, c.want)
		}
	}
}

func exported(t testing.TB, export CompareExporter, c *compare.Comparison) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := export(&out, c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
