package sections

import (
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/report/sections/sweep"
)

// TestEachChartIsDrawn: a chart whose caption the text has is a section of the report, too.
func TestEachChartIsDrawn(t *testing.T) {
	sections := map[uintptr]bool{}
	for _, of := range append(charts(), moreCharts()...) {
		sections[reflect.ValueOf(of).Pointer()] = true
	}
	for i, chart := range sweep.Figures() {
		if !sections[reflect.ValueOf(chart).Pointer()] {
			t.Errorf("chart %d of sweep.Figures is in neither list of charts: pages do not draw it", i+1)
		}
	}
}
