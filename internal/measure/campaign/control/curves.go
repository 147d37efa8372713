package control

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/n4load"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
)

// What a load of the curve has at least, for its p99, and how long it takes at most.
const (
	curveProcedures = 1000
	curveMost       = 5 * time.Second
)

// curve is answer latency over load: the mix at shares of its highest rate.
func (c *study) curve(ctx context.Context) error {
	if c.mix == 0 {
		return nil
	}
	for _, process := range c.s.Control.Arrivals {
		for _, share := range c.s.Control.Shares {
			perS := share * c.mix
			d := max(c.s.Control.Trial.Duration, min(curveMost, time.Duration(curveProcedures/perS*float64(time.Second))))
			h := &procedureHunt{study: c, load: c.load, procedure: mixName}
			c.Observer.Stage(c.dp.Label, "answer latency over load")
			before, _ := c.dp.Usage() // what cannot be read is missing
			o, err := h.offer(ctx,
				n4load.Offer{PerS: perS, Poisson: process == scenario.Poisson, Seed: uint64(c.s.Seed), Duration: d,
					Mix: mixOf(c.s)})
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
	load := record.ProcedureLoad{Procedure: procedure, Arrivals: string(scenario.Constant), PerS: perS,
		DurationS: o.Seconds, Sent: o.Sent, Done: o.Done,
		Refused: o.Refused, Unanswered: o.Unanswered, Causes: o.CauseNames(), Latency: o.Latency.Latency(),
		FromSend: o.FromSend.Latency(), Answers: o.Answers.Latency()}
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

// scaleTrial is how long packets are sent through one number of rules.
const scaleTrial = time.Second

// scaleSessions are dealt to gNBs in turn, so that each has as many.
const scaleSessions = 64

// scales are packets/s over the number of PDRs of one session, over that of sessions, and
// over that of gNBs.
func (c *study) scales(ctx context.Context) error {
	for _, n := range c.s.Control.PDRs {
		if err := c.scale(ctx, record.ScalePDRs, n,
			func(config *trial.Config, s *scenario.Scenario) { s.Sessions, config.PDRs = 1, n }); err != nil {
			return err
		}
	}
	for _, n := range c.s.Control.Tables {
		if err := c.scale(ctx, record.ScaleSessions, n, func(_ *trial.Config, s *scenario.Scenario) { s.Sessions = n }); err != nil {
			return err
		}
	}
	for _, n := range c.s.Control.GNBs {
		if err := c.scale(ctx, record.ScaleGNBs, n,
			func(_ *trial.Config, s *scenario.Scenario) { s.Sessions, s.GNBCount = scaleSessions, n }); err != nil {
			return err
		}
	}
	return nil
}

// scale brings the DUT up with n PDRs, sessions or gNBs, as set does. That it does not take
// them is a result.
func (c *study) scale(ctx context.Context, what string, n int, set func(*trial.Config, *scenario.Scenario)) error {
	config := c.Config(c.target)
	s := *c.s
	config.Scenario = &s
	set(&config, &s)
	var scratch record.DUT // how this one came up is not how the DUT did
	dp, err := c.OpenWith(ctx, config, &scratch)
	if err == nil {
		err = c.scaleTrials(ctx, dp, what, n)
	}
	if dp != nil {
		if closed := dp.Close(); closed != nil {
			return closed
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.cp.Scales = append(c.cp.Scales, record.RuleScale{What: what, N: n, Why: err.Error()})
		c.Observer.Noted(c.target.Label(), fmt.Sprintf("%d %s: %v", n, what, err))
	}
	return c.Save()
}

func (c *study) scaleTrials(ctx context.Context, dp *trial.Deployment, what string, n int) error {
	for _, d := range c.s.Directions {
		spec := trial.Spec{Kind: record.KindLoad, Direction: d, Size: c.Plan.Sizes()[0], Duration: scaleTrial,
			Unwatched: true, Wire: trial.Wire{RxPPS: c.wireMax(d)}}
		t, err := dp.Measure(ctx, spec)
		if err != nil {
			return err
		}
		c.cp.Scales = append(c.cp.Scales,
			record.RuleScale{What: what, N: n, Direction: d, RxPPS: t.RxPPS, LimitedBy: t.LimitedBy,
				Valid: t.Valid, Queues: t.Queues})
		c.Observer.Noted(dp.Label, fmt.Sprintf("%d %s, %s: %s kpps", n, what, d, units.Kpps(t.RxPPS)))
		if err := dp.Alive(); err != nil {
			return err
		}
	}
	return nil
}

// wireMax is what wire received unpaced, packets/s; 0: it was not measured.
func (c *study) wireMax(d record.Direction) (pps float64) {
	at := c.Reference()
	if at < 0 {
		return 0
	}
	for _, t := range c.Result.DUTs[at].Trials {
		if t.Load.Max() && t.Kind == record.KindLoad && t.Direction == d {
			pps = max(pps, t.RxPPS)
		}
	}
	return pps
}
