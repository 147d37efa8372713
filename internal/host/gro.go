package host

import "github.com/upflab/upflab/internal/netdev"

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
	return giveBack(c, c.owns.GRO, (*owned).dropGRO)
}

// restore switches GRO off; a device that is gone has none.
func (s switched) restore() (was bool, err error) {
	return atHome(s.Home, s.Name, func(p *netdev.Port) error { return p.SetGRO(false) })
}
