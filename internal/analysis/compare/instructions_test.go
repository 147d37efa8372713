package compare

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// countedDUT is a DUT with three repeats of an uplink packet and of a request, some instructions apart.
func countedDUT(build string, packet, request float64) record.DUT {
	d := record.DUT{Name: "builtin", Mode: "xdp", Version: build, Status: record.StatusOK}
	for repeat := range 3 {
		d.Instructions = append(d.Instructions,
			record.Instructions{Direction: record.Uplink, Repeat: repeat + 1, Each: packet + float64(repeat), Program: 563, Valid: true},
			record.Instructions{Procedure: "modify", Repeat: repeat + 1, Each: request + float64(repeat), Valid: true})
	}
	return d
}

// TestInstructionsAreCompared: each metric of what a machine counted with the same of the other side.
func TestInstructionsAreCompared(t *testing.T) {
	a, b := countedDUT("a", 24000, 70000), countedDUT("b", 24240, 70000)
	groups := groupsOf(&a)
	if len(groups) != 2 || groups[0].name() != "uplink a packet" || groups[1].name() != "modify" {
		t.Fatalf("%+v", groups)
	}
	for _, m := range Metrics() {
		packet, request := m.applies(groups[0].Key), m.applies(groups[1].Key)
		if packet != (m == Instructions || m == ProgramInstructions) || request != (m == RequestInstructions) {
			t.Errorf("%s is of a packet: %v, of a request: %v", m, packet, request)
		}
	}
	other := groupsOf(&b)
	if got := Instructions.of(other[0].Valid[0]) / Instructions.of(groups[0].Valid[0]); got != 1.01 {
		t.Errorf("%v times as many, want 1.01", got)
	}
}
