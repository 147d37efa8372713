package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

func TestDifferences(t *testing.T) {
	if s := Differences(&view.Run{Result: &record.Result{Engine: record.Engine{Name: "xdp"}}}); len(s.Blocks) > 0 {
		t.Error("a section about an engine of upflab's own")
	}
	s := Differences(&view.Run{Result: &record.Result{Engine: record.Engine{Name: "trex", Differences: []string{"Headers are not checked."}}}})
	if s.Title != "Measured by trex" || !strings.Contains(fmt.Sprint(s.Blocks), "Headers are not checked.") {
		t.Errorf("%q: %v", s.Title, s.Blocks)
	}
}
