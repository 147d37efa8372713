package svg

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/report/block"
)

// TestTicks: each axis has three or more round ticks within its ends, in the unit of its
// title.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis   block.Axis
		values []float64
		title  string
		ticks  string
	}{
		{block.Axis{Label: "offered load", Unit: block.PPS}, []float64{1e4, 26e4}, "offered load (kpps)", "0 100 200 300"},
		{block.Axis{Label: "sent", Unit: block.PPS}, []float64{0.96e6, 5.5e6}, "sent (Mpps)", "0 2 4 6"},
		{block.Axis{Label: "bits/s", Unit: block.BPS}, []float64{1e9, 4e9}, "rate (Gbit/s)", "0 1 2 3 4"},
		{block.Axis{Label: "latency", Unit: block.Nanos}, []float64{2e9}, "latency (s)", "0 0.5 1 1.5 2"},
		{block.Axis{Label: "load, packets/s", Unit: block.PPS}, []float64{1e3, 7e3}, "load (packets/s)", "0 2000 4000 6000 8000"},
		{block.Axis{Label: "latency", Unit: block.Nanos, Scale: block.Log}, []float64{9e3, 2e6}, "latency (µs)", "10 30 100 300 1000"},
		{block.Axis{Label: "latency", Unit: block.Nanos, Scale: block.Log}, []float64{60e3, 90e3}, "latency (µs)",
			"55 60 65 70 75 80 85 90 100"},
		{block.Axis{Label: "off", Unit: block.Ratio}, []float64{-0.035, 0.028}, "off (%)", "-4 -2 0 2 4"},
		{block.Axis{Label: "loss", Unit: block.Ratio, Scale: block.LogOrZero}, []float64{0, 0.02}, "loss (%)", "none 0.1 1 10 100"},
		{block.Axis{Label: "percentile", Scale: block.Rarity}, []float64{0, 0.9995}, "percentile", "min p50 p90 p99 p99.9"},
		{block.Axis{Label: "cores", Unit: block.Cores, Least: 1}, []float64{0.1}, "cores", "0 0.2 0.4 0.6 0.8 1"},
	} {
		s := newScale(c.axis, c.values, 5)
		var names []string
		for _, tick := range s.ticks {
			if names = append(names, tick.text); tick.at < s.lo-1e-9 || tick.at > s.hi+1e-9 {
				t.Errorf("%s: tick %s is beyond the axis", c.title, tick.text)
			}
		}
		factor, _ := c.axis.Unit.UpTo(c.values[len(c.values)-1])
		for _, tick := range s.ticks { // each lies at the value that it names
			if v, err := strconv.ParseFloat(tick.text, 64); err == nil && math.Abs(s.to(v*factor)-tick.at) > 1e-9*math.Abs(tick.at) {
				t.Errorf("%s: tick %s is at %g", c.title, tick.text, tick.at)
			}
		}
		if got := strings.Join(names, " "); s.title != c.title || got != c.ticks {
			t.Errorf("%q: %s; want %q: %s", s.title, got, c.title, c.ticks)
		}
		for _, v := range c.values {
			if at := s.to(v); at < s.lo-1e-9 || at > s.hi+1e-9 {
				t.Errorf("%s: %g is beyond the axis", c.title, v)
			}
		}
	}
}

// TestValuesCompare: what points say is in the unit of their axis, large and small values alike.
func TestValuesCompare(t *testing.T) {
	for _, c := range []struct {
		axis   block.Axis
		values []float64
		want   string
	}{
		{block.Axis{Unit: block.Nanos}, []float64{940e3, 1.2345e6, 43.1e6}, "940 µs, 1234 µs, 43100 µs"},
		{block.Axis{Unit: block.PPS}, []float64{33.2e3, 2.4e6}, "0.0332 Mpps, 2.4 Mpps"},
		{block.Axis{Unit: block.PPS}, []float64{1e3, 260e3}, "1 kpps, 260 kpps"},
		{block.Axis{Unit: block.Ratio}, []float64{0.001, 0.2}, "0.1 %, 20 %"},
		{block.Axis{Unit: block.Nanos}, []float64{math.NaN(), 5e3}, "–, 5 µs"},
		{block.Axis{Categories: []string{"a", "b"}}, []float64{0, 1}, "a, b"},
	} {
		s := newScale(c.axis, c.values, 5)
		var got []string
		for _, v := range c.values {
			got = append(got, s.text(v))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q, want %q", strings.Join(got, ", "), c.want)
		}
	}
}
