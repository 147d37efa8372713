package benchmark

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/engine"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

const (
	rounds = 15
	each   = 300 * time.Millisecond
	// orderSeed gives the order of what is compared.
	orderSeed = 1
)

// redirect runs the unpaced generator and a bare redirect in turn, in blocks, on the same CPU
// into the same port.
func (b *Bench) redirect(ctx context.Context) ([]Row, error) {
	s, err := scenario.Open("load-latency", nil, false)
	if err != nil {
		return nil, err
	}
	cpus, err := host.Place(s.CPU)
	if err != nil {
		return nil, err
	}
	var generator, bare, ratios []float64
	err = withTestbed(func(t site.Site) error {
		w, err := wire.Open(t) // its drops at the far end are what the port's ring does not take
		if err != nil {
			return err
		}
		defer w.Close()
		if cpus.Kind == host.Separate {
			if _, err := host.PinNAPI(&t.Links().UPFN3, cpus.DUT, true); err != nil {
				return err
			}
		}
		flow := engine.WireFlow(s, t, record.Uplink)
		r, err := xdp.OpenRedirect(flow, t.Links().GNB, cpus.Generator)
		if err != nil {
			return err
		}
		defer r.Close()
		err = stats.InBlocks(rounds, orderSeed, func() error {
			pps, err := r.Generator(each)
			generator = append(generator, pps)
			return errors.Join(err, ctx.Err())
		}, func() error {
			pps, err := r.Bare(each)
			bare = append(bare, pps)
			return errors.Join(err, ctx.Err())
		})
		return err
	}, nil)
	if err != nil {
		return nil, err
	}
	for i := range generator {
		ratios = append(ratios, generator[i]/bare[i])
	}
	ratio := stats.Median(ratios)
	return []Row{{
		What:   fmt.Sprintf("unpaced generator / bare redirect, %d B, median of %d in turn", 1486, rounds),
		Value:  fmt.Sprintf("%.2f (%.2f and %.2f Mpps)", ratio, stats.Median(generator)/1e6, stats.Median(bare)/1e6),
		Target: ">= 0.75", OK: ratio >= 0.75,
	}}, nil
}

// withTestbed builds the study's testbed, calls f and removes it. took, when
// given, is the time for building and removing.
func withTestbed(f func(site.Site) error, took *time.Duration) error {
	s, err := scenario.Open("load-latency", nil, false)
	if err != nil {
		return err
	}
	return withTestbedOf(s, f, took)
}

// withTestbedOf is the same for the testbed of a scenario.
func withTestbedOf(s *scenario.Scenario, f func(site.Site) error, took *time.Duration) (err error) {
	claim, err := host.NewClaim(host.NewRunID())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	start := time.Now()
	t, err := netns.Build(claim, bench.SiteSpec(s, claim.Run))
	if err != nil {
		return err
	}
	err = errors.Join(f(t), t.Close())
	if took != nil {
		*took = time.Since(start)
	}
	return err
}
