package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/duttest"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

func TestTrialsInOrder(t *testing.T) {
	for _, c := range []struct {
		story string
		sets  []string
		want  []string
	}{
		{"loads of one direction after another, then latency", []string{"loads=150k,max", "duration=3s", "latency.duration=2s"}, []string{
			"load uplink 150k 3s", "load uplink max 3s", "load downlink 150k 3s", "load downlink max 3s",
			"latency uplink 1k 2s", "latency downlink 1k 2s",
		}},
		{"one direction", []string{"loads=1M", "directions=downlink", "latency.rate=10"}, []string{
			"load downlink 1M 3s", "latency downlink 10 2s",
		}},
		{"directions in the order that they are given", []string{"loads=1k", "directions=downlink,uplink"}, []string{
			"load downlink 1k 3s", "load uplink 1k 3s", "latency downlink 1k 2s", "latency uplink 1k 2s",
		}},
		{"family by family, in the reverse order of the repeats before and after", []string{"loads=1k", "directions=downlink", "families=ipv4,both-over-ipv6"}, []string{
			"load downlink 1k 3s 1400 ipv4", "latency downlink 1k 2s 1400 ipv4",
			"load downlink 1k 3s 1400 both-over-ipv6", "latency downlink 1k 2s 1400 both-over-ipv6",
		}},
		{"size by size, both directions at once", []string{"loads=1k", "directions=both,uplink", "sizes=64,imix"}, []string{
			"load both 1k 3s 64", "load uplink 1k 3s 64", "latency both 1k 2s 64", "latency uplink 1k 2s 64",
			"load both 1k 3s imix", "load uplink 1k 3s imix", "latency both 1k 2s imix", "latency uplink 1k 2s imix",
		}},
	} {
		p := &Plan{Scenario: scenariotest.Open(t, "load-latency", c.sets...)}
		var got []string
		for _, s := range p.Specs(7) {
			text := fmt.Sprint(s.Kind, " ", s.Direction, " ", s.Load, " ", s.Duration)
			if s.Size.Name != "1400" {
				text += " " + s.Size.Name
			}
			got = append(got, text)
			if s.Repeat != 7 {
				t.Errorf("%s: repeat %d, want 7", c.story, s.Repeat)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.story, got, c.want)
		}
	}
}

func TestTrialsOfRun(t *testing.T) {
	for _, c := range []struct {
		sets    []string
		targets int
		want    int
	}{
		{nil, 2, 2 * (4*2 + 2)},
		{[]string{"repeats=3"}, 2, 3 * 2 * (4*2 + 2)},
		{[]string{"loads=max", "directions=uplink"}, 3, 3 * 2},
		{nil, 0, 0},
	} {
		p := &Plan{Scenario: scenariotest.Open(t, "load-latency", c.sets...), Targets: make([]dut.Target, c.targets)}
		if got := p.Trials(); got != c.want {
			t.Errorf("%v with %d targets: %d trials, want %d", c.sets, c.targets, got, c.want)
		}
	}
}

func TestLabel(t *testing.T) {
	for want, target := range map[string]dut.Target{
		"wire":        {Driver: duttest.None{Name: "wire"}},
		"eupf:native": {Driver: duttest.None{Name: "eupf"}, Mode: "native"},
	} {
		if got := target.Label(); got != want {
			t.Errorf("label %q, want %q", got, want)
		}
	}
}

// TestVisitsAreCounterbalanced: references lead in the first repeat, each repeat visits all, and
// each second one is the reverse of the one before, in a dry run as in the run.
func TestVisitsAreCounterbalanced(t *testing.T) {
	p := &Plan{Scenario: scenariotest.Open(t, "load-latency", "repeats=4", "seed=3"),
		Targets: []dut.Target{{Driver: duttest.None{Name: "a"}}, {Driver: duttest.None{Name: "wire"}}, {Driver: duttest.None{Name: "b"}}}}
	blocks := p.Order()
	if len(blocks) != 4 || blocks[0][0] != 1 {
		t.Fatalf("%v: four repeats, wire first", blocks)
	}
	for n := 1; n < 4; n += 2 {
		back := slices.Clone(blocks[n])
		slices.Reverse(back)
		if !slices.Equal(back, blocks[n-1]) {
			t.Errorf("%v: repeat %d is not the reverse of the one before", blocks, n+1)
		}
	}
	if o := p.Outline(); !slices.EqualFunc(o.Visits, blocks, func(a, b []int) bool { return slices.Equal(a, b) }) {
		t.Errorf("a dry run says %v, and the run visits %v", o.Visits, blocks)
	}
}
