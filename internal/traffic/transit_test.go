package traffic

import (
	"slices"
	"testing"
)

// TestComplete: lost packets lie between their neighbours, also after a pause of the sender.
func TestComplete(t *testing.T) {
	list := []Transit{{}, {1100, 1101, 1110}, {}, {1300, 1900, 1910}, {}, {}, {1600, 1903, 1920}, {}, {}}
	Complete(list, 1000, 100)
	want := []Transit{{1000, 1000, 0}, {1100, 1101, 1110}, {1200, 1200, 0}, {1300, 1900, 1910}, {1400, 1900, 0},
		{1500, 1900, 0}, {1600, 1903, 1920}, {1700, 1903, 0}, {1800, 1903, 0}}
	if !slices.Equal(list, want) {
		t.Errorf("%v, want %v", list, want)
	}
	lost := make([]Transit, 2)
	if Complete(lost, 50, 10); lost[1] != (Transit{60, 60, 0}) {
		t.Errorf("all lost: %v", lost)
	}
}
