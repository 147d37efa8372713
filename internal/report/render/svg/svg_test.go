package svg

import (
	"math"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/report/block"
)

// panel has axes from 0 to 100 and 0 to 40, which are 252 pixels high.
func panel() block.Panel {
	return block.Panel{X: block.Axis{Label: "x"}, Y: block.Axis{Label: "y"}, Tip: []block.Field{{Name: "p99", Unit: block.Nanos}},
		Rules: []block.Rule{{Diagonal: true}, {X: block.Known(25), Text: "rate", Row: 1}, {Y: block.Known(10), Text: "goal"}},
		Areas: []block.Area{{From: -5, To: 25, Text: "safe"}},
		Series: []block.Series{{Name: `a<b`, Color: "c0", Line: "solid", Mark: "circle",
			Data: []block.Point{{X: 0, Y: 0}, {X: 50, Y: 20, Style: "hollow", More: []any{1500.0}}, {X: 75, Y: math.NaN()}, {X: 100, Y: 40}},
			Band: []block.Interval{{X: 0, Low: 0, High: 10}, {X: 100, Low: 30, High: 40}}, Whiskers: []block.Interval{{X: 50, Low: 10, High: 30}}}}}
}

// TestPlaces: each element lies where its values are, worked out by hand, and says them.
func TestPlaces(t *testing.T) {
	got := xy(block.Figure{}, panel(), Choice{})
	if got.Height != 252 || got.Above != 12+8+17 || got.Stops != nil {
		t.Errorf("%+v", got)
	}
	for what, want := range map[string]string{
		"line with a gap": `d="M0,252L50,126M100,0" class="line c0"`,
		"band":            `d="M0,189L100,0L100,63L0,252z" class="band c0"`,
		"whisker":         `<line x1="50%" x2="50%" y1="189" y2="63" class="whisk c0"/>`,
		"mark":            `<g class="mark hollow c0"><use href="#m-circle" x="50%" y="126" aria-label="x 50&#10;a&lt;b: 20&#10;p99: 1.5 µs"/>`,
		"area":            `<rect x="0%" y="0" width="25%" height="252" class="area"/>`,
		"diagonal":        `<line x1="0%" y1="252" x2="40%" y2="0" class="ideal"/>`,
		"upright rule":    `<line x1="25%" x2="25%" y1="-22" y2="252" class="goal"/>`,
		"level rule":      `<line x2="100%" y1="189" y2="189" class="ideal"/>`,
	} {
		if !strings.Contains(got.Inside, want) {
			t.Errorf("%s: no %s in %s", what, want, got.Inside)
		}
	}
	if wide := xy(block.Figure{}, panel(), Choice{Width: 400}); !strings.Contains(wide.Inside, `d="M0,252L200,126M400,0" class="line c0"`) {
		t.Errorf("400 wide: %s", wide.Inside)
	}
}

// TestNearAndNothing: a range of x leaves out what is beyond, and of nothing there is no chart.
func TestNearAndNothing(t *testing.T) {
	p := panel()
	p.Near = []block.Num{40, 60}
	if got := xy(block.Figure{}, p, Choice{Near: true}); strings.Count(got.Inside, "<use href=\"#m-circle\"") != 1 ||
		strings.Contains(got.Inside, "goal\"") {
		t.Errorf("%s", got.Inside)
	}
	p.Near = []block.Num{60, 70}
	if got := xy(block.Figure{}, p, Choice{Near: true}); got.Inside != "" {
		t.Errorf("%s", got.Inside)
	}
}

// TestStops: along x a pointer reads the nearest points; along shares what lies between points.
func TestStops(t *testing.T) {
	got := xy(block.Figure{Follow: "x"}, panel(), Choice{}).Stops
	if s := got.Series[0]; len(got.Stops) != 4 || got.Stops[1] != (stop{50, "at 50"}) ||
		*s.At[1] != (stop{126, "20, p99: 1.5 µs"}) || s.At[2] != nil {
		t.Errorf("%+v %+v", got, got.Series[0].At[1])
	}
	p := block.Panel{X: block.Axis{Unit: block.Nanos, Scale: block.Log}, Y: block.Axis{Scale: block.Rarity},
		Series: []block.Series{{Name: "a", Line: "solid", Data: []block.Point{{X: 1000, Y: 0}, {X: 100_000, Y: 0.99}}}}}
	shares := xy(block.Figure{Follow: "y"}, p, Choice{}).Stops
	middle := shareStops / 2 // p90: half of the way to p99, and of the way from 1 to 100 µs on a logarithmic axis
	if at := shares.Series[0].At[middle]; shares.Stops[middle].text != "p90" || at.text != "10 µs" ||
		math.Abs(shares.Stops[middle].at-126) > 1e-6 {
		t.Errorf("%+v, %+v", shares.Stops[middle], at)
	}
	p.Series = nil // the page's script would read the stops of null
	if none := xy(block.Figure{Follow: "x"}, p, Choice{}).Stops; none != nil {
		t.Errorf("a chart without points has the stops %+v", none)
	}
}

func TestShareNames(t *testing.T) {
	for share, want := range map[float64]string{0: "min", 0.5: "p50", 0.9: "p90", 0.999: "p99.9", 0.9995: "p99.95", 0.123: "p12"} {
		if got := shareName(share); got != want {
			t.Errorf("%g: %s, want %s", share, got, want)
		}
	}
}

// TestLevelBars: bars of all panels of a view have one scale, and say their intervals.
func TestLevelBars(t *testing.T) {
	bar := func(v float64) block.Panel {
		return block.Panel{X: block.Axis{Label: "Mpps"},
			Series: []block.Series{{Name: "a", Color: "c1", Bar: &block.Span{Value: block.Num(v), Text: "2 ?",
				Low: block.Known(1), High: block.Known(3), Range: "1..3", RangeOf: "95 % interval", Note: "bench-limited",
				Hatched: true, Far: []block.Num{4}}}}}
	}
	v := block.View{Panels: []block.Panel{bar(2), bar(10)}}
	got := bars(v, v.Panels[0])
	for _, want := range []string{`x="0%" y="35" width="20%" height="17" class="column c1 hollow"`, `class="hatch c1"`,
		`<line x1="10%" x2="30%"`, `<circle cx="40%"`,
		`aria-label="a&#10;median: 2 ?&#10;95 % interval: 1..3&#10;bench-limited"`} {
		if !strings.Contains(got.Inside, want) {
			t.Errorf("no %s in %s", want, got.Inside)
		}
	}
}
