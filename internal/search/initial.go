package search

import (
	"context"
	"math"
	"time"
)

// begin makes up to three trials to find two loads near the bounds of the
// strictest goal: at the highest load, then where the forwarding rate seen there
// points to (Trial Forwarding Rate, RFC 9971 clause 4.5.7). Either bound is only
// a guess.
func (c *controller) begin(ctx context.Context) (bounds, error) {
	ratio, duration, width := c.strictest()
	top := c.scale.top
	first, err := c.measure(ctx, PhaseInitial, top, duration)
	if err != nil {
		return bounds{}, err
	}
	hint := c.hint(top, first, ratio)
	if hint >= top {
		return bounds{at(top), at(top)}, nil
	}
	one, _ := c.scale.place(hint, width, bounds{upper: at(top)})
	second, err := c.measure(ctx, PhaseInitial, one, duration)
	if err != nil {
		return bounds{}, err
	}
	another, ok := c.scale.place(one+width, width, bounds{lower: at(one), upper: at(top)})
	if second.high(ratio) {
		another, ok = c.scale.place(c.hint(one, second, ratio), width, bounds{upper: at(one)})
	}
	if !ok {
		return bounds{at(one), at(one)}, nil
	}
	if _, err := c.measure(ctx, PhaseInitial, another, duration); err != nil {
		return bounds{}, err
	}
	return bounds{at(min(one, another)), at(max(one, another))}, nil
}

// hint is the load whose loss would be just the ratio, if the device forwarded
// as much as it did at load i.
func (c *controller) hint(i int, s sample, ratio float64) int {
	return c.scale.floor(c.scale.pps(i) * (1 - s.loss) / (1 - ratio))
}

// strictest takes the smallest loss ratio, the longest trial and the largest
// width of the coarsest targets, so that these trials serve all of them.
func (c *controller) strictest() (ratio float64, d time.Duration, width int) {
	ratio = math.Inf(1)
	for _, final := range c.finals {
		t := final.coarsest()
		ratio, d, width = min(ratio, t.lossRatio), max(d, t.trial), max(width, t.width)
	}
	return ratio, d, width
}
