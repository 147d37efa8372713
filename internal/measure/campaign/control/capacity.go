package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/n4load"
	"github.com/upflab/upflab/internal/record"
)

// capacitySteps is into how many steps the sessions of a capacity are parted.
const capacitySteps = 20

// capacity establishes sessions until that ends, and tears them down.
func (c *study) capacity(ctx context.Context) error {
	k := c.s.Control
	if k.Capacity == 0 {
		return nil
	}
	if err := c.load.Ready(ctx, n4load.Establish, k.Window); err != nil {
		return err
	}
	c.load.Close()
	defer func() { c.load = nil }()
	l, err := n4load.New(n4load.Config{Client: c.dp.SMF.Client(), Sessions: c.dp.SMF.More(c.s.Sessions, k.Capacity)})
	if err != nil {
		return err
	}
	defer l.Close()
	c.cp.Capacity = &record.SessionCapacity{Room: c.room, Bound: k.Capacity, Window: k.Window,
		Ended: record.CapacityTime, Why: "the run was interrupted"}
	before, _ := c.dp.Memory() // 0: not read
	if err := c.fill(ctx, l, before); err != nil {
		return err
	}
	if err := c.tearDown(ctx, l); err != nil {
		return err
	}
	x := c.cp.Capacity
	c.Observer.Noted(c.dp.Label, fmt.Sprintf("%d sessions (%s) at %.0f/s, %.0f octets each; torn down at %.0f/s",
		x.Sessions, x.Ended, x.EstablishPerS, x.BytesPerSession, x.TearDownPerS))
	return nil
}

// fill establishes. How it ended is in the record; an error is the user's.
func (c *study) fill(ctx context.Context, l *n4load.Load, before uint64) error {
	x, k := c.cp.Capacity, c.s.Control
	began := time.Now()
	var spent float64
	for x.Sessions < k.Capacity {
		c.Observer.Stage(c.dp.Label, fmt.Sprintf("%d sessions are established", x.Sessions))
		d, err := l.Drive(ctx, n4load.Establish, min((k.Capacity+capacitySteps-1)/capacitySteps, k.Capacity-x.Sessions), k.Window)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		spent += d.Seconds
		x.Sessions += d.Done
		if d.Done > 0 {
			memory, _ := c.dp.Memory()
			x.Steps = append(x.Steps,
				record.CapacityStep{Sessions: x.Sessions, PerS: d.PerS(), P99NS: d.Latency.Quantile(0.99),
					MemoryBytes: memory})
		}
		if x.Ended, x.Why = c.endOf(err); err != nil {
			break
		}
		if time.Since(began) > k.CapacityTime.Duration {
			x.Ended, x.Why = record.CapacityTime, fmt.Sprintf("%v were over (control.capacity_time)", k.CapacityTime)
			break
		}
	}
	if spent > 0 {
		x.EstablishPerS = float64(x.Sessions) / spent
	}
	x.Slowdown, x.BytesPerSession = slopes(x.Steps, before)
	return nil
}

// endOf names why sessions are no longer established.
func (c *study) endOf(err error) (ended, why string) {
	var refused *n4load.Refusal
	died := c.dp.Alive()
	switch {
	case died != nil:
		return record.CapacityDied, died.Error()
	case err == nil:
		return record.CapacityBound, ""
	case errors.As(err, &refused):
		return record.CapacityRefused, err.Error()
	}
	return record.CapacitySilent, err.Error()
}

// slopes are how much longer a session takes in the last step than in the first, and
// the memory of one, octets.
func slopes(steps []record.CapacityStep, before uint64) (slowdown, bytes float64) {
	if len(steps) == 0 {
		return 0, 0
	}
	first, last := steps[0], steps[len(steps)-1]
	if last.PerS > 0 {
		slowdown = first.PerS / last.PerS
	}
	if before > 0 && last.MemoryBytes > before && last.Sessions > 0 {
		bytes = float64(last.MemoryBytes-before) / float64(last.Sessions)
	}
	return slowdown, bytes
}

// tearDown deletes them all, each as soon as there is room in the window.
func (c *study) tearDown(ctx context.Context, l *n4load.Load) error {
	x := c.cp.Capacity
	if x.Ended == record.CapacityDied || x.Ended == record.CapacitySilent {
		x.TearDownWhy = "the UPF answers no more"
		return c.dp.Alive()
	}
	c.Observer.Stage(c.dp.Label, "tearing sessions down")
	d, err := l.Drive(ctx, n4load.Delete, x.Sessions, c.s.Control.Window)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	x.TornDown, x.TearDownSeconds, x.TearDownPerS = d.Done, d.Seconds, d.PerS()
	if err != nil {
		x.TearDownWhy = err.Error()
	}
	x.MemoryAfter, _ = c.dp.Memory()
	return nil
}
