package record

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestSenders: results from before there was a list are read as one sending CPU.
func TestSenders(t *testing.T) {
	for text, want := range map[string][]int{
		`{"kind":"separate","generator":3,"sink":1,"dut":[2]}`:                    {3},
		`{"kind":"separate","generator":3,"generators":[3,4],"sink":1,"dut":[2]}`: {3, 4},
		`{"kind":"shared","generator":0,"generators":[0],"sink":0,"dut":[0]}`:     {0},
	} {
		var p Placement
		if err := json.Unmarshal([]byte(text), &p); err != nil || !slices.Equal(p.Senders(), want) || p.Generator != want[0] {
			t.Errorf("%s: generator %d, senders %v, %v; want %v", text, p.Generator, p.Senders(), err, want)
		}
	}
}
