// Package benchmark measures upflab itself: how fast and how exact the bench is
// on this machine. Speeds are ratios taken in turn within one run; a machine
// shared with others drifts too much for anything else.
package benchmark

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Row is one figure with what it should be.
type Row struct {
	What   string
	Value  string
	Target string // "" when there is none
	OK     bool
}

// Bench runs the benchmarks.
type Bench struct {
	Wire, Builtin dut.Target
	Dir           string            // for logs
	Only          string            // one of Names; "": all
	Say           func(what string) // progress
	Begin         func(*scenario.Scenario) (*record.Result, error)
}

// part is one benchmark.
type part struct {
	name, what string
	do         func(*Bench, context.Context) ([]Row, error)
}

func parts() []part {
	return []part{
		{"redirect", "the generator against a bare redirect", (*Bench).redirect},
		{"windows", "counting by windows", (*Bench).windows},
		{"pacing", "pacing", (*Bench).pacing},
		{"latency", "latency of the bench", (*Bench).latency},
		{"packets", "the engine af_packet", (*Bench).packets},
		{"testbed", "building and removing a testbed", (*Bench).testbed},
		{"sessions", "provisioning 10 000 sessions", (*Bench).sessions},
		{"page", "a run with a live page, and without, in turn", (*Bench).page},
	}
}

// Names lists the benchmarks.
func Names() (names []string) {
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// All runs every benchmark, or the one that b.Only names.
func (b *Bench) All(ctx context.Context) (rows []Row, err error) {
	for _, p := range parts() {
		if b.Only != "" && b.Only != p.name {
			continue
		}
		if b.Say != nil {
			b.Say(p.what)
		}
		more, err := p.do(b, ctx)
		rows = append(rows, more...)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", p.what, err)
		}
	}
	return rows, nil
}

// run measures one target by the quick scenario with changes.
func (b *Bench) run(ctx context.Context, t dut.Target, sets ...string) (*record.DUT, error) {
	s, err := scenario.Open("quick", sets, false)
	if err != nil {
		return nil, err
	}
	r, err := b.Begin(s)
	if err != nil {
		return nil, err
	}
	p := &campaign.Job{Plan: plan.Plan{Scenario: s, Targets: []dut.Target{t}}, Dir: b.Dir}
	if err := campaign.Run(ctx, p, watch.Silent{}, r); err != nil {
		return nil, err
	}
	d := &r.DUTs[0]
	if d.Status != record.StatusOK {
		return nil, fmt.Errorf("%s: %s", t.Label(), d.Error)
	}
	return d, nil
}

// pacing holds what was sent against what fell due, for 5 s at each rate.
func (b *Bench) pacing(ctx context.Context) ([]Row, error) {
	d, err := b.run(ctx, b.Wire, "loads=1k,10k,100k,1M", "duration=5s", "directions=uplink", "latency.duration=100ms")
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, t := range d.Trials {
		if t.Kind != record.KindLoad || t.Intended == 0 || t.Lateness == nil {
			continue
		}
		short := (float64(t.Intended) - float64(t.TxPackets)) / float64(t.Intended)
		rows = append(rows, Row{
			What: fmt.Sprintf("paced at %s: (intended - sent) / intended", t.Load),
			Value: fmt.Sprintf("%.4f %% (%d of %d; late by over 10 us: %d, p50 %d ns, p99 %d ns)",
				100*short, t.TxPackets, t.Intended, t.LateSlots, t.Lateness.P50, t.Lateness.P99),
			Target: "<= 0.1 %", OK: short <= 0.001 && short >= -0.001,
		})
	}
	return rows, nil
}

// latency takes the one-way latency of a wire at 100 kpps with everything on one
// CPU, and with the forwarding on its own: the difference is the wake-up.
func (b *Bench) latency(ctx context.Context) ([]Row, error) {
	var rows []Row
	for _, placement := range []string{host.Shared, host.Separate} {
		d, err := b.run(ctx, b.Wire, "loads=100k", "duration=3s", "directions=uplink", "latency.duration=100ms", "cpu.placement="+placement)
		if err != nil {
			return rows, err
		}
		l := d.Trials[0].Latency
		if l == nil {
			return rows, fmt.Errorf("nothing arrived with placement %s", placement)
		}
		row := Row{What: "one-way latency of wire at 100 kpps, placement " + placement,
			Value: fmt.Sprintf("p50 %.2f us, p99 %.2f us", float64(l.P50)/1e3, float64(l.P99)/1e3), OK: true}
		if placement == host.Shared {
			row.Target, row.OK = "p50 <= 2 us", l.P50 <= 2000
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// sessions provisions 10 000 sessions on the reference UPF.
func (b *Bench) sessions(ctx context.Context) ([]Row, error) {
	d, err := b.run(ctx, b.Builtin, "sessions=10000", "loads=1k", "duration=100ms", "latency.duration=100ms", "directions=uplink")
	if err != nil {
		return nil, err
	}
	took := d.Setup.ProvisionSeconds
	return []Row{{What: "provisioning 10 000 sessions on builtin:xdp", Target: "< 2 s", OK: took < 2,
		Value: fmt.Sprintf("%.2f s (%.0f sessions/s)", took, d.Setup.SessionsPerS)}}, nil
}

// testbed builds and removes a testbed.
func (b *Bench) testbed(context.Context) ([]Row, error) {
	var slowest time.Duration
	for range 5 {
		took, err := cycle()
		if err != nil {
			return nil, err
		}
		slowest = max(slowest, took)
	}
	return []Row{{What: "building and removing a testbed, slowest of 5", Target: "< 2 s", OK: slowest < 2*time.Second,
		Value: fmt.Sprintf("%.3f s", slowest.Seconds())}}, nil
}

func cycle() (took time.Duration, err error) {
	err = withTestbed(func(site.Site) error { return nil }, &took)
	return took, err
}
