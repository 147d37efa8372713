package netdev

import (
	"errors"
)

// Capabilities are what a port's NIC and driver can do for a measurement.
type Capabilities struct {
	Now, Most Channels
	// FlowHash is which fields are hashed, by the kind of GTP-U packet; of kinds that the driver knows.
	FlowHash map[uint32]uint64
	// Rules reports whether the driver takes rules that name a queue, and RuleRoom for how many there
	// is room; 0: it does not say.
	Rules    bool
	RuleRoom uint32
	// XDP is nil where the kernel does not say. Redirects: frames can be redirected to the port.
	XDP       *XDPFeatures
	Redirects bool
	Speed     uint64 // bits/s; 0: not known
}

// Capabilities asks for all of it. It attaches a program to a NIC for a moment where its driver says
// only then what it does with redirected frames.
func (p *Port) Capabilities() (c Capabilities, err error) {
	if c.Now, c.Most, err = p.Queues().Channels(); err != nil {
		return c, err
	}
	s, err := p.Queues().Spread()
	if err != nil {
		return c, err
	}
	c.FlowHash, c.Speed = s.FlowHash, p.Speed()
	if table, err := p.Queues().rules(); err == nil {
		c.Rules, c.RuleRoom = true, table.size
	}
	redirects, xdp, err := p.XDP().Redirects()
	switch {
	case errors.Is(err, ErrNoXDPFeatures):
		return c, nil
	case err != nil:
		return c, err
	}
	c.XDP, c.Redirects = &xdp, redirects
	return c, nil
}
