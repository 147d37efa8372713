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
