package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/trial"
	"github.com/upflab/upflab/internal/units"
)

// scaleTrial is how long packets are sent through one number of rules.
const scaleTrial = time.Second

// scaleSessions are dealt to gNBs in turn, so that each has as many.
const scaleSessions = 64

// scales are packets/s over the number of PDRs of one session, over that of sessions, and
// over that of gNBs.
func (c *controlStudy) scales(ctx context.Context) error {
	for _, n := range c.s.Control.PDRs {
		if err := c.scale(ctx, record.ScalePDRs, n, func(config *trial.Config, s *scenario.Scenario) { s.Sessions, config.PDRs = 1, n }); err != nil {
			return err
		}
	}
	for _, n := range c.s.Control.Tables {
		if err := c.scale(ctx, record.ScaleSessions, n, func(_ *trial.Config, s *scenario.Scenario) { s.Sessions = n }); err != nil {
			return err
		}
	}
	for _, n := range c.s.Control.GNBs {
		if err := c.scale(ctx, record.ScaleGNBs, n, func(_ *trial.Config, s *scenario.Scenario) { s.Sessions, s.GNBCount = scaleSessions, n }); err != nil {
			return err
		}
	}
	return nil
}

// scale brings the DUT up with n PDRs, sessions or gNBs, as set does. That it does not take
// them is a result.
func (c *controlStudy) scale(ctx context.Context, what string, n int, set func(*trial.Config, *scenario.Scenario)) error {
	config := c.run.config(c.target)
	s := *c.s
	config.Scenario = &s
	set(&config, &s)
	var scratch record.DUT // how this one came up is not how the DUT did
	dp, err := trial.Open(ctx, config, &scratch)
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
		c.run.observer.Noted(c.target.Label(), fmt.Sprintf("%d %s: %v", n, what, err))
	}
	return c.run.save()
}

func (c *controlStudy) scaleTrials(ctx context.Context, dp *trial.Deployment, what string, n int) error {
	for _, d := range c.s.Directions {
		spec := trial.Spec{Kind: record.KindLoad, Direction: d, Size: c.run.plan.sizes()[0], Duration: scaleTrial, Unwatched: true, Wire: trial.Wire{RxPPS: c.wireMax(d)}}
		t, err := dp.Measure(ctx, spec)
		if err != nil {
			return err
		}
		c.cp.Scales = append(c.cp.Scales, record.RuleScale{What: what, N: n, Direction: d, RxPPS: t.RxPPS, LimitedBy: string(t.LimitedBy), Valid: t.Valid, Queues: t.Queues})
		c.run.observer.Noted(dp.Label, fmt.Sprintf("%d %s, %s: %s kpps", n, what, d, units.Kpps(t.RxPPS)))
		if err := dp.Alive(); err != nil {
			return err
		}
	}
	return nil
}

// wireMax is what wire received unpaced, packets/s; 0: it was not measured.
func (c *controlStudy) wireMax(d record.Direction) (pps float64) {
	at := c.run.reference()
	if at < 0 {
		return 0
	}
	for _, t := range c.run.result.DUTs[at].Trials {
		if t.Load.Max() && t.Kind == record.KindLoad && t.Direction == d {
			pps = max(pps, t.RxPPS)
		}
	}
	return pps
}
