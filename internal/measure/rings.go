package measure

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/site"
)

// ringOfUPF is the place in front of the UPF.
const ringOfUPF = "receive ring of the UPF"

// ring is a receive ring, counted where it is sent to.
type ring struct {
	sender site.Port
	name   string
	side   side
}

// rings are the receive rings that a direction's packets cross: what stands between
// the ends of a link has one of its own.
func (b *bench) rings(d record.Direction) []ring {
	in, out := ends(b.testbed, d), ends(b.testbed, opposite(d))
	before, behind := b.testbed.N3Between, b.testbed.N6Between
	if d == record.Downlink {
		before, behind = behind, before
	}
	list := []ring{{in.send, ringOfUPF, placeLink}}
	if before != nil {
		list = []ring{{in.send, "receive ring of the bridge before the UPF", placeLink}, {before.UPF, ringOfUPF, placeLink}}
	}
	const sink = "receive ring of the sink"
	if behind == nil {
		return append(list, ring{out.upf, sink, placeSink})
	}
	return append(list, ring{out.upf, "receive ring of the bridge behind the UPF", placeSink}, ring{behind.Tester, sink, placeSink})
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
