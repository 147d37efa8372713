package host

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/upflab/upflab/internal/netdev"
)

// switched is a device of the host whose GRO a run has switched on.
type switched struct {
	Name string `json:"name"`
	Home uint32 `json:"home"` // inode of its network namespace
}

const gro = "rx-gro"

// SwitchGROOn switches generic receive offload of a device of the host on, until
// RestoreGRO. A device that does not have it, or has it on, is left alone.
func (c *Claim) SwitchGROOn(p *netdev.Port) error {
	now, err := p.Features()
	if on, has := now[gro]; err != nil || !has || on {
		return nil
	}
	home, err := p.NS.Inode()
	if err != nil {
		return err
	}
	if err := c.add(func(o *owned) { o.GRO = append(o.GRO, switched{p.Name, home}) }); err != nil {
		return err
	}
	return p.SetGRO(true)
}

// RestoreGRO switches it off where it was off before.
func (c *Claim) RestoreGRO() error {
	var errs []error
	for _, s := range slices.Clone(c.owns.GRO) {
		if _, err := s.restore(); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, c.drop(func(o *owned) { o.dropGRO(s) }))
	}
	return errors.Join(errs...)
}

// restore switches GRO off; a device that is gone has none.
func (s switched) restore() (was bool, err error) {
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
	if err := p.SetGRO(false); err != nil {
		return true, fmt.Errorf("restore %s: %w", s.Name, err)
	}
	return true, nil
}
