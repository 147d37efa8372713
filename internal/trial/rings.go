package trial

import (
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/record"
)

// ring is a receive ring, counted where it is sent to.
type ring struct {
	sender netdev.Port
	place  record.Place
	side   record.Side
}

// rings are the receive rings that a direction's packets cross: what is between
// the ends of a link has one of its own.
func (dp *Deployment) rings(d record.Direction) []ring {
	in, out := dp.site.Links().Path(d), dp.site.Links().Path(opposite(d))
	before, behind := dp.site.Links().Bridges(d)
	list := []ring{{in.Send, record.PlaceUPFRing, record.SideLink}}
	if before != nil {
		list = []ring{{in.Send, record.PlaceBridgeBefore, record.SideLink}, {before.UPF, record.PlaceUPFRing, record.SideLink}}
	}
	if !out.UPF.Readable() {
		return list
	}
	if behind == nil {
		return append(list, ring{out.UPF, record.PlaceSinkRing, record.SideSink})
	}
	return append(list, ring{out.UPF, record.PlaceBridgeBehind, record.SideSink}, ring{behind.Tester, record.PlaceSinkRing, record.SideSink})
}

// lostInRings counts what found them full.
func (dp *Deployment) lostInRings(d record.Direction) (c counters, err error) {
	for _, r := range dp.rings(d) {
		if !r.sender.Readable() {
			continue // of another host
		}
		n, err := r.sender.TxDropped()
		if err != nil {
			return nil, err
		}
		c = append(c, drop{place: r.place, side: r.side, packets: n})
	}
	return c, nil
}
