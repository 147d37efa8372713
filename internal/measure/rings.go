package measure

import (
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/record"
)

// ringOfUPF is the place in front of the UPF.
const ringOfUPF = "receive ring of the UPF"

// ring is a receive ring, counted where it is sent to.
type ring struct {
	sender netdev.Port
	name   string
	side   side
}

// rings are the receive rings that a direction's packets cross: what stands between
// the ends of a link has one of its own.
func (b *bench) rings(d record.Direction) []ring {
	in, out := b.site.Links().Path(d), b.site.Links().Path(opposite(d))
	before, behind := b.site.Links().Bridges(d)
	list := []ring{{in.Send, ringOfUPF, placeLink}}
	if before != nil {
		list = []ring{{in.Send, "receive ring of the bridge before the UPF", placeLink}, {before.UPF, ringOfUPF, placeLink}}
	}
	if !out.UPF.Readable() {
		return list
	}
	const sink = "receive ring of the sink"
	if behind == nil {
		return append(list, ring{out.UPF, sink, placeSink})
	}
	return append(list, ring{out.UPF, "receive ring of the bridge behind the UPF", placeSink}, ring{behind.Tester, sink, placeSink})
}

// lostInRings counts what found them full.
func (b *bench) lostInRings(d record.Direction) (c counters, err error) {
	for _, r := range b.rings(d) {
		n, err := r.sender.TxDropped()
		if err != nil {
			return nil, err
		}
		c = append(c, place{name: r.name, side: r.side, packets: n})
	}
	return c, nil
}
