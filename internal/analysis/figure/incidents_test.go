package figure

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestIncidents: the figures of incidents are over all of them and both directions.
func TestIncidents(t *testing.T) {
	lost := func(n uint64, outage float64) *record.Interruption {
		return &record.Interruption{Lost: n, OutageS: outage}
	}
	d := &record.DUT{Incidents: []record.Incident{
		{ID: "handover.1", Uplink: lost(0, 0), Downlink: lost(3, 0.002)},
		{ID: "upf.killed", Uplink: lost(100, 1.5), Downlink: lost(50, 1.2)},
		{ID: "n4.cut", Problem: "the sessions cannot be modified any more"},
	}}
	for name, want := range map[string]float64{"resilience.problems": 1, "resilience.outage": 1.5, "resilience.lost": 153} {
		f, ok := Of(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		if list := f.Samples(d); len(list) != 1 || list[0].Value != want {
			t.Errorf("%s: %+v, want %v", name, list, want)
		}
		if list := f.Samples(&record.DUT{}); len(list) != 0 {
			t.Errorf("%s of a DUT without incidents: %+v", name, list)
		}
	}
}

// TestIncidentsThatDidNotHappen: what was not done to a UPF lost nothing, and says nothing; of one that was not done
// whole users may lose more than was seen.
func TestIncidentsThatDidNotHappen(t *testing.T) {
	nothing := &record.Interruption{}
	none := record.Incident{ID: "upf.killed", NotApplicable: "upflab ends no UPF that it did not start"}
	broken := record.Incident{ID: "handover.1", Uplink: nothing, Downlink: nothing, Problem: "cause 64"}
	died := record.Incident{ID: "n4.cut", Uplink: nothing, Downlink: nothing, Problem: "it ended", Died: true}
	for _, name := range []string{"resilience.problems", "resilience.outage", "resilience.lost"} {
		f, _ := Of(name)
		if list := f.Samples(&record.DUT{Incidents: []record.Incident{none}}); len(list) != 0 {
			t.Errorf("%s of an incident that did not happen: %+v", name, list)
		}
		for _, x := range []record.Incident{broken, died} {
			list := f.Samples(&record.DUT{Incidents: []record.Incident{none, x}})
			if bound := name != "resilience.problems"; len(list) != 1 || (list[0].AtLeast != "") != bound {
				t.Errorf("%s after %s: %+v", name, x.ID, list)
			}
		}
	}
}
