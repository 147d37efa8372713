package trial

import (
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/traffic"
)

// speeds are those of the links N3 and N6, bits/s; 0: not known.
type speeds struct{ n3, n6 uint64 }

// speedsOf reads them at either end: both of a cable have the same.
func speedsOf(l *site.Links) speeds {
	read := func(ends ...*netdev.Port) (bitsPerS uint64) {
		for _, p := range ends {
			if bitsPerS == 0 && p.Readable() {
				bitsPerS = p.Speed()
			}
		}
		return bitsPerS
	}
	return speeds{read(&l.GNB, &l.UPFN3), read(&l.DNN6, &l.UPFN6)}
}

// lines are the links that packets of a sequence cross, in their order: an uplink packet N3 as it
// was sent, and N6 as it is to arrive.
func (s speeds) lines(flows []*traffic.Flow, q traffic.Sequence, d record.Direction) (list []record.Line) {
	for _, way := range d.Each() {
		var own traffic.Sequence
		for _, slot := range q {
			if slot.Flow == flowOf(way) {
				own = append(own, slot)
			}
		}
		if len(own) == 0 {
			continue
		}
		mean := meansOf(flows, own)
		hops := []record.Line{{Link: "n3", BitsPerS: s.n3, FrameBytes: mean.Frame}, {Link: "n6", BitsPerS: s.n6, FrameBytes: mean.RxFrame}}
		if way == record.Downlink {
			hops = []record.Line{{Link: "n6", BitsPerS: s.n6, FrameBytes: mean.Frame}, {Link: "n3", BitsPerS: s.n3, FrameBytes: mean.RxFrame}}
		}
		for _, h := range hops {
			if h.BitsPerS > 0 {
				list = append(list, record.NewLine(h.Link, way, h.BitsPerS, h.FrameBytes, float64(len(own))/float64(len(q))))
			}
		}
	}
	return list
}
