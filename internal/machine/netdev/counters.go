package netdev

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/ethtool"
)

// TxDropped is how many packets the port could not send, whatever kind: on a
// veth, mostly those for which the other end's receive ring had no room.
func (p *Port) TxDropped() (uint64, error) {
	p = p.device()
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return 0, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	if s := link.Attrs().Statistics; s != nil {
		return s.TxDropped, nil
	}
	return 0, nil
}

// Packets is how many the port has received and sent so far, XDP's among them.
func (p *Port) Packets() (received, sent uint64, err error) {
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return 0, 0, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	if s := link.Attrs().Statistics; s != nil {
		return s.RxPackets, s.TxPackets, nil
	}
	return 0, 0, nil
}

// Missed is how many packets a NIC had no room for in its receive ring. A veth's
// are the other end's TxDropped.
func (p *Port) Missed() (uint64, error) {
	if !p.Physical {
		return 0, nil
	}
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return 0, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	if s := link.Attrs().Statistics; s != nil {
		return s.RxMissedErrors, nil
	}
	return 0, nil
}

// Stats reads the driver's counters, as `ethtool -S` shows them; none from a driver
// that has none.
func (p *Port) Stats() (map[string]uint64, error) {
	p = p.device()
	var stats map[string]uint64
	err := p.NS.Do(func() (err error) {
		stats, err = ethtool.Stats(p.Name)
		if errors.Is(err, unix.EOPNOTSUPP) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read counters of %s: %w", p.Name, err)
	}
	return stats, nil
}
