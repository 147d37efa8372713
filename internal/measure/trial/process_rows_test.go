package trial

import (
	"reflect"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

// TestEachProcessHasARow takes the names from the scenario's schema: one that the trial does not know would be
// sent with constant gaps, and recorded so.
func TestEachProcessHasARow(t *testing.T) {
	field, _ := reflect.TypeFor[scenario.Scenario]().FieldByName("Arrivals")
	names := strings.Split(field.Tag.Get("enum"), ",")
	if len(names) < 2 {
		t.Fatalf("the schema has the arrivals %q", names)
	}
	for _, name := range names {
		if _, is := processes[scenario.Arrivals(name)]; !is && name != string(scenario.Constant) {
			t.Errorf("%s: no row in processes", name)
		}
		s := &scenario.Scenario{Schedule: scenario.Schedule{Arrivals: scenario.Arrivals(name)}}
		if r := arrivalsRecord(Spec{}, s); name != string(scenario.Constant) && (r == nil || r.Process != name) {
			t.Errorf("%s is recorded as %+v", name, r)
		}
	}
	if unknownProcess("self-similar") == nil {
		t.Error("a process without a row is sent")
	}
}
