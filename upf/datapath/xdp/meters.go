package xdp

import (
	"fmt"

	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// meterKey is whose meter it is: the PDRs of a session that name a QER share one for
// each direction. It goes on as long as the rate is the same.
type meterKey struct {
	seid uint64
	qer  uint32
	from session.Interface
	rate plan.Rate
}

// meterUse is a meter's number, and how many rows name it.
type meterUse struct {
	number uint32
	uses   int
}

// holdMeter gives the number of a meter, which it makes when there is none.
func (c *chains) holdMeter(k meterKey) (uint32, error) {
	use := c.meters[k]
	if use == nil {
		m := upfMeter{Cost: k.rate.Cost, Depth: k.rate.Depth}
		if err := add(c.objects.Meters, &c.meter, &m); err != nil {
			return 0, fmt.Errorf("xdp: add the meter of QER %d: %w", k.qer, err)
		}
		use = &meterUse{number: c.meter}
		c.meters[k] = use
	}
	use.uses++
	return use.number, nil
}

// releaseMeters takes rows' uses back and gives the numbers of meters that have none
// left.
func (c *chains) releaseMeters(keys []meterKey) (unused []uint32) {
	for _, k := range keys {
		use := c.meters[k]
		if use.uses--; use.uses == 0 {
			unused = append(unused, use.number)
			delete(c.meters, k)
		}
	}
	return unused
}
