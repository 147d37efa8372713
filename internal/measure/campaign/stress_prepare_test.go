package campaign

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestCostOfTaps(t *testing.T) {
	trial := func(p50 uint64, cores float64) record.Trial {
		return record.Trial{Direction: record.Uplink, Traffic: record.Traffic{Latency: &record.Latency{P50: p50}},
			Cost: record.Cost{CPU: record.CPU{DUTCores: cores}}}
	}
	with := []record.Trial{trial(11_000, 0.5), trial(10_000, 0.6), trial(99_000, 0.4)}
	without := []record.Trial{trial(9000, 0.45), trial(8000, 0.35), trial(7000, 0.4)}
	c := costOf(with, without, 16)
	if c.P50With != 11_000 || c.P50Without != 8000 || c.CoresWith != 0.5 || c.CoresWithout != 0.4 || c.Pairs != 3 || c.Every != 16 {
		t.Errorf("%+v: medians, which one disturbed trial does not move", c)
	}
}

// TestCapacityWords: what was found is said in a line, also where no line is redrawn.
func TestCapacityWords(t *testing.T) {
	for want, c := range map[string]record.Capacity{
		"it carries 947.5 kpps uplink, by 16 trials: the loads are shares of it":         {Direction: record.Uplink, PPS: 947.5e3, Trials: 16},
		"it carries at least 1.07 Mpps downlink, by 1 trial: the loads are shares of it": {Direction: record.Downlink, PPS: 1.07e6, AtLeast: true},
		"nothing arrived uplink": {Direction: record.Uplink},
	} {
		if got := capacityWords(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
