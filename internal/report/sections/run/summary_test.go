package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// repeats are repeats of a trial, one for each received rate.
func repeats(limited record.Limit, rates ...float64) (list []record.Trial) {
	for i, rate := range rates {
		list = append(list, record.Trial{
			Kind: record.KindLoad, Direction: "uplink", Load: record.Load{}, Repeat: i + 1,
			Traffic:   record.Traffic{RxPPS: rate, TxPPS: 9e6},
			Judgement: record.Judgement{Valid: true, LimitedBy: limited},
			Cost:      record.Cost{CPU: record.CPU{DUTCores: 0.5}, MemoryBytes: 32 << 20},
		})
	}
	return list
}

func sample() *record.Result {
	return &record.Result{DUTs: []record.DUT{
		{Name: "wire", Reference: true, Trials: repeats(record.LimitLink, 4e6)},
		{Name: "eupf", Mode: "native", Trials: repeats(record.LimitDUT, 2e6, 2.02e6, 2.01e6, 1.99e6, 2e6, 1.2e6),
			Setup: record.Setup{Sessions: 1000, SessionsPerS: 11000}},
		{Name: "builtin", Mode: "xdp", Trials: repeats(record.LimitGenerator, 3e6, 3.1e6, 3.2e6),
			Setup: record.Setup{Sessions: 1, SessionsPerS: 4000}},
	}}
}

func barsOf(v *view.Run) map[string]bar {
	found := map[string]bar{}
	for _, l := range summaryLines(v) {
		for i, b := range l.Bars {
			if b != nil {
				found[l.Name+" "+v.UPFs[i].Label] = *b
			}
		}
	}
	return found
}

func TestSummary(t *testing.T) {
	bars := barsOf(view.New(sample()))
	for name, want := range map[string]block.Span{
		// Six repeats have an interval, and the one far below is named.
		"Highest received rate eupf:native": {Text: "2.00", RangeOf: "95 % interval of 6 repeats",
			Note: "its own limit, offered max; outliers: 1.20", Far: []block.Num{1.2}},
		// Three have their range, and the generator's limit is not the UPF's.
		"Highest received rate builtin:xdp": {Text: "≥ 3.10", RangeOf: "range of 3 repeats", Range: "3.00..3.20",
			Note: "generator-limited, offered max", Hatched: true},
		"Highest received rate wire":            {Text: "4.00", Note: "what the bench carries, offered max"},
		"CPU at highest rate builtin:xdp":       {Text: "0.161", RangeOf: "range of 3 repeats", Range: "0.156..0.167", Note: "offered max"},
		"Memory eupf:native":                    {Text: "32.0", Note: "at most, 1,000 sessions"},
		"Sessions set up over PFCP eupf:native": {Text: "11000", Note: "of 1,000 sessions"},
	} {
		got := bars[name]
		if got.Text != want.Text || got.RangeOf != want.RangeOf || want.Range != "" && got.Range != want.Range || got.Note != want.Note ||
			got.Hatched != want.Hatched || !slices.Equal(got.Far, want.Far) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
	if _, found := bars["Memory wire"]; found {
		t.Error("the reference has memory")
	}
	if b, found := bars["Sessions set up over PFCP builtin:xdp"]; found {
		t.Errorf("a rate of one session: %+v", b)
	}
}

// One UPF alone has nothing to be compared with.
func TestSummaryOfOne(t *testing.T) {
	r := sample()
	r.DUTs = r.DUTs[:1]
	if got := Summary(view.New(r)); len(got.Blocks) > 0 {
		t.Errorf("got %v", got)
	}
}

// A trial that is not valid has no bar.
func TestSummaryExcludesInvalid(t *testing.T) {
	r := sample()
	for i := range r.DUTs[1].Trials {
		r.DUTs[1].Trials[i].Valid = false
	}
	if b, found := barsOf(view.New(r))["Highest received rate eupf:native"]; found {
		t.Errorf("it has the bar %+v", b)
	}
}

// TestSummaryInTheOrderOfQuestions: throughput, loss, latency, CPU.
func TestSummaryInTheOrderOfQuestions(t *testing.T) {
	r := sample()
	for i := range r.DUTs {
		for _, trial := range r.DUTs[i].Trials {
			trial.Kind, trial.Load, trial.Latency = record.KindLatency, record.Load{PPS: 1e3}, &record.Latency{Count: 100, P50: 9e3, P99: 20e3}
			r.DUTs[i].Trials = append(r.DUTs[i].Trials, trial)
		}
	}
	var names []string
	for _, l := range summaryLines(view.New(r)) {
		names = append(names, l.Name)
	}
	want := []string{"Highest received rate", "Frame loss at that rate", "Latency p50", "Latency p99", "CPU at highest rate"}
	if len(names) < len(want) || !slices.Equal(names[:len(want)], want) {
		t.Errorf("%q, want %q first", names, want)
	}
}

// TestSummaryMarksBounds: a latency that is a bound in the tables of trials is one side by side, too, and the
// section says what the signs mean that are in it, and no others.
func TestSummaryMarksBounds(t *testing.T) {
	for _, c := range []struct {
		latency       record.Latency
		p50, p99      string
		signs, absent []string
	}{
		{record.Latency{P50: 9e3, P99: 20e3}, "9.00", "20.0", nil, []string{"≤", "of a latency"}},
		{record.Latency{P50: 9e3, P99: 20e3, UpperBound: true, Unmoved: []string{"p50"}}, "9.00", "≤ 20.0",
			[]string{"≤ of a latency: disturbances"}, []string{"≥ of a latency", "~"}},
		{record.Latency{P50: 9e3, P99: 600e3, Skipped: 5}, "9.00", "≥ 600",
			[]string{"≥ of a latency: packets are in it"}, []string{"≤", "~"}},
		{record.Latency{P50: 9e3, P99: 600e3, Skipped: 5, UpperBound: true, Unmoved: []string{"p50"}}, "9.00", "~ 600",
			[]string{"~ of a latency: disturbances"}, []string{"≤", "≥ of a latency"}},
	} {
		r := sample()
		c.latency.Count = 100
		for i := range r.DUTs {
			for _, trial := range r.DUTs[i].Trials {
				trial.Kind, trial.Load, trial.Latency = record.KindLatency, record.Load{PPS: 1e3}, &c.latency
				r.DUTs[i].Trials = append(r.DUTs[i].Trials, trial)
			}
		}
		v := view.New(r)
		bars := barsOf(v)
		for name, want := range map[string]string{"Latency p50 eupf:native": c.p50, "Latency p99 eupf:native": c.p99} {
			if got := bars[name].Text; got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		s := Summary(v)
		hint, note := s.Hint, s.Blocks[len(s.Blocks)-1].(block.Note) // of a terminal
		for _, words := range c.signs {
			if !strings.Contains(hint, words) || !strings.Contains(note.Text, words) || note.Only != block.Text {
				t.Errorf("%q is not in %q, or not in %+v", words, hint, note)
			}
		}
		for _, words := range c.absent {
			if strings.Contains(hint, words) {
				t.Errorf("%q is in %q", words, hint)
			}
		}
	}
}

// TestPlaced: upflab places the UPFs that it starts, and says so of no other.
func TestPlaced(t *testing.T) {
	host := record.Host{Placement: record.Placement{Generator: 0, Sink: 1, DUT: []int{1}}}
	for name, want := range map[string]string{
		"eupf":     "generator on CPU 0, UPF on CPU 1",
		"external": "generator on CPU 0, sink on CPU 1; the UPF is where its operator put it",
	} {
		if got := placed(view.New(&record.Result{Host: host, DUTs: []record.DUT{{Name: name}}})); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
