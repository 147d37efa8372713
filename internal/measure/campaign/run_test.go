package campaign

import (
	"errors"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/duttest"
	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
)

func TestFailGivesTargetUp(t *testing.T) {
	p := &plan.Plan{Targets: []dut.Target{{Driver: duttest.None{Name: "a"}}, {Driver: duttest.None{Name: "b"}}, {Driver: duttest.None{Name: "c"}}}}
	r := &run{failed: map[int]bool{}, Book: &kit.Book{Plan: p, Observer: watch.Silent{}, Result: &record.Result{DUTs: []record.DUT{
		{Status: record.StatusOK, Trials: make([]record.Trial, 1)}, {Status: record.StatusOK}, {Status: record.StatusOK},
	}}}}
	r.fail(1, errors.New("did not come up"))
	if d := r.Result.DUTs[1]; d.Status != record.StatusFailed || d.Error != "did not come up" || !r.failed[1] {
		t.Errorf("%+v", d)
	}
	if r.Save() != nil || r.Result.Finished.IsZero() {
		t.Error("saved without a time")
	}
}
