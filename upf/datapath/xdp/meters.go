package xdp

import (
	"fmt"

	"github.com/upflab/upflab/upf/session"
)

// meterKey is whose meter it is: the PDRs of a session that name a QER share one for
// each direction. It goes on as long as the rate and its window are the same.
type meterKey struct {
	seid uint64
	rate uint64 // plan.Rate, packed
	qer  uint32
	from session.Interface
}

// meterUse is a meter's number, and how many rows name it.
type meterUse struct{ number, uses uint32 }

// holdMeter gives the number of a meter, which it makes when there is none.
func (c *chains) holdMeter(k meterKey) (uint32, error) {
	use := c.meters[k]
	if use.uses == 0 {
		number, m, err := c.rates.take()
		if err != nil {
			return 0, fmt.Errorf("xdp: add the meter of QER %d: %w", k.qer, err)
		}
		*m = upfMeter{Rate: k.rate}
		use.number = number
	}
	use.uses++
	c.meters[k] = use
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
			continue
		}
		c.meters[k] = use
	}
	return unused
}
