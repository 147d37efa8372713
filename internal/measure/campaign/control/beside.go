package control

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/n4load"
	"github.com/upflab/upflab/internal/measure/campaign/rates"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
)

// beside sends user traffic of the bystanders: alone, while a responder of the bench is
// asked what the UPF will be, and while the UPF is.
func (c *study) beside(ctx context.Context) error {
	k := c.s.Control
	if len(k.Beside) == 0 {
		return nil
	}
	bench, closer, err := c.responder(ctx)
	if err != nil {
		return err
	}
	defer closer.Close()
	for _, size := range c.Plan.Sizes() {
		for _, d := range c.s.Directions {
			if err := c.besideOf(ctx, bench, size, d); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *study) besideOf(ctx context.Context, bench *n4load.Load, size scenario.PacketSize, d record.Direction) error {
	c.Observer.Stage(c.dp.Label, fmt.Sprintf("finding what it carries %s", d))
	carried, err := rates.Capacity(ctx, c.Meter, c.dp, d, size)
	if err != nil || carried.PPS == 0 {
		return err
	}
	for _, share := range c.s.Control.Beside {
		b := &besideTrial{study: c, carried: carried.PPS, share: share,
			spec: trial.Spec{Kind: record.KindLoad, Direction: d, Size: size,
				Load: record.Load{PPS: share * carried.PPS}, Duration: c.s.Duration.Duration, Unwatched: true}}
		if err := b.with(ctx, record.BesideNobody, nil, 0); err != nil {
			return err
		}
		for _, churn := range c.s.Control.Churn {
			if err := b.with(ctx, record.BesideBench, bench, churn.PPS); err != nil {
				return err
			}
			if err := b.with(ctx, record.BesideUPF, c.load, churn.PPS); err != nil {
				return err
			}
		}
	}
	return nil
}

// besideTrial is user traffic at one load.
type besideTrial struct {
	study          *study
	spec           trial.Spec
	carried, share float64
}

// with measures it while a load does procedures; nil: none.
func (b *besideTrial) with(ctx context.Context, kind string, l *n4load.Load, perS float64) error {
	c := b.study
	c.Observer.Stage(c.dp.Label, fmt.Sprintf("user traffic, %s at %.0f packets/s, beside %.0f procedures/s (%s)",
		b.spec.Direction, b.spec.Load.PPS, perS, kind))
	if l != nil {
		if err := l.Half(ctx, c.s.Control.Window); err != nil {
			return err
		}
	}
	churned, stop := b.churn(ctx, l, perS)
	t, err := c.dp.Measure(ctx, b.spec)
	done := stop()
	if err != nil {
		return err
	}
	x := besideRecord(t, b.spec.Load.PPS)
	x.Share, x.CarriedPPS, x.With, x.PerS = b.share, b.carried, kind, perS
	if done != nil {
		return done
	}
	if *churned != nil {
		load := loadRecord(mixName, perS, *churned)
		x.Procedures = &load
	}
	c.cp.Beside = append(c.cp.Beside, x)
	c.Observer.Noted(c.dp.Label,
		fmt.Sprintf("%s at %s kpps beside %.0f procedures/s (%s): loss %s, p99 %s, reordered %d", x.Direction,
			units.Kpps(x.LoadPPS),
			perS, kind, units.Loss(x.FrameLossRatio), units.Time(float64(x.P99NS)), x.Reordered))
	return nil
}

// churn begins procedures; stop ends them and gives their error.
func (b *besideTrial) churn(ctx context.Context, l *n4load.Load, perS float64) (out **n4load.Outcome, stop func() error) {
	out = new(*n4load.Outcome)
	if l == nil {
		return out, func() error { return nil }
	}
	mix := mixOf(b.study.s)
	if l != b.study.load {
		mix = unpaged(mix)
	}
	until, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		o, err := l.Offer(ctx, n4load.Offer{PerS: perS, Duration: time.Hour, Mix: mix, Until: until, Beside: true, CPUs: b.study.dp.SMF.CPUs()})
		*out = o
		ended <- err
	}()
	return out, func() error {
		close(until)
		return <-ended
	}
}

// besideRecord is what became of the bystanders' packets.
func besideRecord(t record.Trial, pps float64) record.BesideTraffic {
	x := record.BesideTraffic{Direction: t.Direction, LoadPPS: pps, DurationS: t.DurationS, TxPackets: t.TxPackets,
		FrameLossRatio: t.FrameLossRatio,
		Reordered:      t.Reordered, Duplicates: t.Duplicates, Wrong: t.Wrong, Valid: t.Valid, Reasons: t.Reasons}
	if t.TxPackets > t.RxPackets {
		x.Lost = t.TxPackets - t.RxPackets
		x.BlockedS = float64(x.Lost) / pps
	}
	if t.Latency != nil {
		x.P50NS, x.P99NS, x.MaxNS = t.Latency.P50, t.Latency.P99, t.Latency.Max
	}
	return x
}
