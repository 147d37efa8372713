package queueing

import (
	"fmt"
	"math"
)

// Point is what was measured at one load in one repeat.
type Point struct {
	// LoadPPS is the offered load, over 0. OtherPPS is what others offered to the
	// same server at the same time, pps: its queue sees both.
	LoadPPS, OtherPPS float64
	// Latencies of packets that arrived, ns; 0 is not measured.
	MeanNS, P50NS, P95NS, P99NS, P999NS float64
	// LossRatio is lost over offered, 0..1.
	LossRatio float64
	// CPUCores is what the DUT used, cores; 0 is not measured.
	CPUCores float64
	// Packets is how many were offered; 0 is not known.
	Packets uint64
	// Class is the class of traffic (a QFI, a slice); see FitClasses.
	Class string
}

// offered is the load that the queue sees, pps.
func (p Point) offered() float64 { return p.LoadPPS + p.OtherPPS }

func (p Point) hasLatency() bool { return p.MeanNS > 0 || p.P50NS > 0 || p.P95NS > 0 || p.P99NS > 0 }

// check finds what cannot be a measurement.
func (p Point) check() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"load", p.LoadPPS}, {"load of others", p.OtherPPS}, {"mean latency", p.MeanNS}, {"p50 latency", p.P50NS},
		{"p95 latency", p.P95NS}, {"p99 latency", p.P99NS}, {"p99.9 latency", p.P999NS},
		{"loss ratio", p.LossRatio}, {"CPU", p.CPUCores},
	} {
		if math.IsNaN(f.value) || math.IsInf(f.value, 0) || f.value < 0 {
			return fmt.Errorf("%w: %s is %v at a load of %v pps; remove that point", ErrValue, f.name, f.value, p.LoadPPS)
		}
	}
	return p.checkShares()
}

func (p Point) checkShares() error {
	switch {
	case p.LoadPPS == 0:
		return fmt.Errorf("%w: a load is 0 pps; remove that point", ErrValue)
	case p.LossRatio > 1:
		return fmt.Errorf("%w: loss ratio %v at %v pps; give it from 0 to 1", ErrValue, p.LossRatio, p.LoadPPS)
	case p.LossRatio < 1 && !p.hasLatency():
		return fmt.Errorf("%w: packets arrived at %v pps, but their latency is 0 or missing", ErrNoLatency, p.LoadPPS)
	case p.MeanNS > 0 && p.P95NS > p.P99NS && p.P99NS > 0, p.P50NS > p.P95NS && p.P95NS > 0:
		return fmt.Errorf("%w: percentiles fall at %v pps; check the units of each column", ErrValue, p.LoadPPS)
	}
	return nil
}
