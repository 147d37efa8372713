// Package meters reads what there is to read of a DUT around a trial: counters of every place that can lose a packet, CPUs,
// clocks, energy, delays at its ports, and what disturbs the machine.
package meters

import (
	"errors"
	"fmt"
	"io"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/engine"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// Meters read what there is to read of a DUT that is up: counters of lost packets, CPUs, clocks,
// energy.
type Meters struct {
	scenario  *scenario.Scenario
	placement record.Placement
	endpoint  dut.Endpoint
	site      site.Site
	instance  *dut.Instance
	subject   *telemetry.Subject // of the bench
	engine    *engine.Engine     // of both directions
	stats     io.Closer          // BPF run-time statistics are on until it is closed
	drops     site.Drops
	probes    *delayprobe.Probes   // nil: packets are not timed at the DUT
	monitor   *disturbance.Monitor // nil: everything counts
	processor *telemetry.Counters  // counts of the UPF's CPUs; nil: not known
}

// Open begins to count what is lost around a DUT that is up, and how long programs run.
func Open(b *bench.Bench, e *engine.Engine) (*Meters, error) {
	mt := &Meters{scenario: b.Scenario, placement: b.Placement, endpoint: b.Endpoint, site: b.Site(), instance: b.Instance(),
		subject: &b.Subject, engine: e}
	if b.Scenario.BPFStats {
		stats, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
		if err != nil {
			return nil, fmt.Errorf("switch BPF run-time statistics on: %w", err)
		}
		mt.stats = stats
	}
	var err error
	if mt.drops, err = mt.site.OpenDrops(); err != nil {
		return nil, errors.Join(err, mt.Close())
	}
	return mt, nil
}

// NewReader is a reader of the counters around a trial in a direction.
func (mt *Meters) NewReader(d record.Direction) *Reader { return &Reader{mt: mt, direction: d} }

// Close ends all counting.
func (mt *Meters) Close() error {
	errs := []error{mt.CloseDelayProbes(), mt.CloseDrops()}
	if mt.monitor != nil {
		errs = append(errs, mt.monitor.Close())
	}
	if mt.processor != nil {
		errs = append(errs, mt.processor.Close())
	}
	if mt.stats != nil {
		errs = append(errs, mt.stats.Close())
	}
	return errors.Join(errs...)
}

// CloseDrops ends counting what the kernel loses around the DUT.
func (mt *Meters) CloseDrops() error {
	if mt.drops == nil {
		return nil
	}
	err := mt.drops.Close()
	mt.drops = nil
	return err
}

// LineNS is how long a cache line takes from the generator's CPU to the UPF's and back, ns; 0:
// they are one CPU or on different machines, or it was not measured.
func (mt *Meters) LineNS() float64 {
	if !mt.site.OwnsUPF() || mt.scenario.FarTester() || mt.placement.Kind == host.Shared || len(mt.placement.DUT) == 0 {
		return 0
	}
	ns, err := telemetry.CacheLineNS(mt.placement.Generator, mt.placement.DUT[0])
	if err != nil {
		return 0 // a UPF that polls may have its CPU for itself
	}
	return ns
}
