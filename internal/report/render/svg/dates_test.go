package svg

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/report/block"
)

// TestDates: the ticks of an axis of dates are round, few, and say what tells them apart.
func TestDates(t *testing.T) {
	from := time.Date(2026, 1, 3, 2, 17, 5, 0, time.UTC)
	for _, c := range []struct {
		span  time.Duration
		first string
	}{
		{0, "02:17:0"}, {time.Minute, "02:17:15"}, {time.Hour, "01-03 02:30"}, {24 * time.Hour, "01-03 06:00"}, {10 * 24 * time.Hour, "01-0"},
		{90 * 24 * time.Hour, "2026-0"}, {400 * 24 * time.Hour, "2026-01"}, {4000 * 24 * time.Hour, "2026"}, {290 * 365 * 24 * time.Hour, "2"},
	} {
		s := newScale(block.Axis{Scale: block.Dates}, []float64{float64(from.Unix()), float64(from.Add(c.span).Unix())}, ticksX)
		if len(s.ticks) < 1 || len(s.ticks) > 2*ticksX || !strings.HasPrefix(s.ticks[0].text, c.first) {
			t.Errorf("over %s: %v", c.span, s.ticks)
		}
		seen := map[string]bool{}
		for _, one := range s.ticks {
			if seen[one.text] {
				t.Errorf("over %s two ticks are %q", c.span, one.text)
			}
			seen[one.text] = true
		}
	}
	for _, far := range [][]float64{{-1e300, 1e300}, {math.MinInt64, 0}, {0, 9e18}, {2e12, 2e12}} {
		if s := newScale(block.Axis{Scale: block.Dates}, far, ticksX); len(s.ticks) > 100 {
			t.Errorf("%v has %d ticks", far, len(s.ticks))
		}
	}
}

// TestCategories: of many names some are written, and long ones are cut.
func TestCategories(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprint("v1.2.", i, "-rc1-with-a-long-tail"))
	}
	s := newScale(block.Axis{Categories: names}, []float64{0, 39}, ticksX)
	if len(s.ticks) == 0 || len(s.ticks) > 7 || s.ticks[0].text != "v1.2.0-rc1-wi…" || s.share(0) <= 0 || s.share(39) >= 1 {
		t.Errorf("%v", s.ticks)
	}
}
