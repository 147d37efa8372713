package campaign

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
)

// TestMeet: runs that were under way before, or that began later, are noted once; its own, and those that are dead, are not.
func TestMeet(t *testing.T) {
	r := &record.Result{Run: "own"}
	meet(r, []host.Record{{Run: "before", PID: 7, Live: true}, {Run: "dead", PID: 8}, {Run: "own", PID: 9, Live: true}})
	for range 2 {
		meet(r, []host.Record{{Run: "own", PID: 9, Live: true}, {Run: "after", PID: 10, Live: true}})
	}
	if want := []record.Neighbour{{Run: "before", PID: 7}, {Run: "after", PID: 10}}; !slices.Equal(r.Neighbours, want) || len(r.Notes) != 2 {
		t.Errorf("%v, notes %q", r.Neighbours, r.Notes)
	}
}
