package host

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

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
	var errs []error
	for _, s := range slices.Clone(c.owns.Spreads) {
		if _, err := s.restore(); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, c.drop(func(o *owned) { o.dropSpread(s) }))
	}
	return errors.Join(errs...)
}

// restore gives a device its queues back; one that is gone has none.
func (s spreading) restore() (was bool, err error) {
	home, err := netdev.ByInode(s.Home)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // with its namespace
	}
	if err != nil {
		return false, err
	}
	defer home.Release()
	if _, err := home.Netlink().LinkByName(s.Name); err != nil {
		if absent(err) {
			return false, nil
		}
		return false, err
	}
	p := netdev.Port{NS: home, Name: s.Name}
	if err := p.RestoreSpread(s.Was); err != nil {
		return true, fmt.Errorf("restore the queues of %s: %w", s.Name, err)
	}
	return true, nil
}
