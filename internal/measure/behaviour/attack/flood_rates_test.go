package attack

import (
	"slices"
	"testing"
)

// Nothing goes beyond what the owner of a UPF was promised.
func TestFloodRates(t *testing.T) {
	if got := (Options{PerSecond: 10_000}).rates(); !slices.Equal(got, []int{0, 1000, 10_000, 50_000}) {
		t.Error(got)
	}
	if got := (Options{PerSecond: 1000, Most: 1000}).rates(); !slices.Equal(got, []int{0, 100, 1000}) {
		t.Error(got)
	}
}
