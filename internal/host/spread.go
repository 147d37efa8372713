package host

import (
	"fmt"
	"reflect"

	"github.com/upflab/upflab/internal/netdev"
)

// spreading is how a device of the host spread what it receives before a run changed that.
type spreading struct {
	Name string        `json:"name"`
	Home uint32        `json:"home"` // inode of its network namespace
	Was  netdev.Spread `json:"was"`
}

func (s spreading) is(x spreading) bool { return reflect.DeepEqual(s, x) }

// KeepSpread writes down the queues, hashes and rules of a device that stays where it is, for
// RestoreSpreads, and for whoever cleans up after a killed run. Call it before they are changed.
func (c *Claim) KeepSpread(p *netdev.Port) error {
	was, err := p.Spread()
	if err != nil {
		return err
	}
	home, err := p.NS.Inode()
	if err != nil {
		return err
	}
	return c.add(func(o *owned) { o.Spreads = append(o.Spreads, spreading{p.Name, home, was}) })
}

// RestoreSpreads gives the devices back what they had.
func (c *Claim) RestoreSpreads() error {
	return giveBack(c, c.owns.Spreads, (*owned).dropSpread)
}

// restore gives a device its queues back; one that is gone has none.
func (s spreading) restore() (was bool, err error) {
	return atHome(s.Home, s.Name, func(p *netdev.Port) error {
		if err := p.RestoreSpread(s.Was); err != nil {
			return fmt.Errorf("its queues: %w", err)
		}
		return nil
	})
}
