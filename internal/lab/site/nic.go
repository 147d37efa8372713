package site

import (
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// SpreadOver has a physical port of N3 hash the TEID, where that is asked for, and records how
// the port is set up. point is "n3" or "n6", end "upf" or "tester". By SpreadAuto it need not.
func SpreadOver(p *netdev.Port, point, end string, kind SpreadKind) (r record.NIC, err error) {
	r = record.NIC{Link: point, End: end, Device: p.HomeName}
	if r.Device == "" {
		r.Device = p.Name
	}
	if r.Queues, err = p.Queues().Receiving(); err != nil {
		return r, err
	}
	if point != "n3" || kind != SpreadAuto && kind != SpreadHash {
		return r, nil
	}
	r.TEIDHash, err = p.Queues().HashTEIDs()
	if err != nil && kind == SpreadAuto {
		r.Why, err = err.Error(), nil
	}
	return r, err
}
