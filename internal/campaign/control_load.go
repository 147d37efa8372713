package campaign

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/n4load"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/telemetry"
)

// What a load of the curve has at least, for its p99, and how long it takes at most.
const (
	curveProcedures = 1000
	curveMost       = 5 * time.Second
)

// curve is answer latency over load: the mix at shares of its highest rate.
func (c *controlStudy) curve(ctx context.Context) error {
	if c.mix == 0 {
		return nil
	}
	for _, process := range c.s.Control.Arrivals {
		for _, share := range c.s.Control.Shares {
			perS := share * c.mix
			d := max(c.s.Control.Trial.Duration, min(curveMost, time.Duration(curveProcedures/perS*float64(time.Second))))
			h := &procedureHunt{study: c, load: c.load, procedure: mixName}
			c.run.observer.Stage(c.dp.Label, "answer latency over load")
			before, _ := c.dp.Usage() // what cannot be read is missing
			o, err := h.offer(ctx, n4load.Offer{PerS: perS, Poisson: process == scenario.Poisson, Seed: uint64(c.s.Seed), Duration: d, Mix: mixOf(c.s)})
			if err != nil {
				return err
			}
			after, _ := c.dp.Usage()
			load := loadRecord(mixName, perS, o)
			load.Arrivals, load.Share = string(process), share
			load.CPU = telemetry.Between(before, after).Cores
			c.cp.Loads = append(c.cp.Loads, load)
		}
	}
	return nil
}

// loadRecord is an outcome as it is kept.
func loadRecord(procedure string, perS float64, o *n4load.Outcome) record.ProcedureLoad {
	load := record.ProcedureLoad{Procedure: procedure, Arrivals: string(scenario.Constant), PerS: perS, DurationS: o.Seconds, Sent: o.Sent, Done: o.Done,
		Refused: o.Refused, Unanswered: o.Unanswered, Causes: o.CauseNames(), Latency: o.Latency.Latency(), FromSend: o.FromSend.Latency(), Answers: o.Answers.Latency()}
	for _, l := range []*record.Latency{load.Latency, load.FromSend, load.Answers} {
		if l != nil {
			l.Buckets = nil
		}
	}
	if len(o.Of) < 2 {
		return load
	}
	for p, part := range o.Of {
		one := record.ProcedurePart{Procedure: string(p), Sent: part.Sent, Done: part.Done, Refused: part.Refused}
		if part.Done > 0 {
			one.P50NS, one.P99NS = part.Latency.Quantile(0.5), part.Latency.Quantile(0.99)
		}
		load.Parts = append(load.Parts, one)
	}
	slices.SortFunc(load.Parts, func(a, b record.ProcedurePart) int { return strings.Compare(a.Procedure, b.Procedure) })
	return load
}
