package trials

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// TestPorts: how physical ports were set up is said once, whatever the number of DUTs.
func TestPorts(t *testing.T) {
	setup := record.Setup{NICs: []record.NIC{
		{Link: "n3", End: "upf", Device: "eth1", Queues: 4, TEIDHash: []string{"gtpu4", "gtpu4e"}},
		{Link: "n3", End: "tester", Device: "eth2", Queues: 4, Why: "operation not supported"},
		{Link: "n6", End: "upf", Device: "eth3", Queues: 4},
		{Link: "n3", End: "upf", Device: "eth4", Queues: 2, Rules: 64},
	}}
	list := ports(view.New(&record.Result{DUTs: []record.DUT{{Name: "wire"}, {Name: "a", Setup: setup}, {Name: "b", Setup: setup}}}))
	if len(list) != 4 {
		t.Fatalf("%+v", list)
	}
	for i, want := range []string{"4 queues that receive, picked by a hash with the TEID in it (gtpu4, gtpu4e)",
		"not picked by the TEID: operation not supported",
		"4 queues that receive", "a rule for each of 64 TEIDs"} {
		if !strings.Contains(list[i].Value, want) {
			t.Errorf("%s: %s, want %q", list[i].Name, list[i].Value, want)
		}
	}
	if list[0].Name != "N3, upf's port eth1" {
		t.Errorf("%q", list[0].Name)
	}
}
