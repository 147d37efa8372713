package trials

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestHardwareCells(t *testing.T) {
	for _, c := range []struct {
		h    record.HardwareLatency
		want []string
	}{
		{record.HardwareLatency{With: 990, Without: 10, ClockErrorNS: 340,
			Latency: &record.Latency{P50: 8000, P99: 9000}}, []string{"10.0", "8.00", "9.00", "990", "10", "340"}},
		{record.HardwareLatency{Without: 1000, ClockErrorNS: 340}, []string{"10.0", "n/a", "n/a", "0", "1,000", "340"}},
	} {
		var got []string
		for _, cell := range hardwareCells(&record.Latency{P50: 10_000}, &c.h) {
			got = append(got, cell.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
