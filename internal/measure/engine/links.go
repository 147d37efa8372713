package engine

import (
	"math"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// Means are those of a sequence.
func (e *Engine) Means(q traffic.Sequence) Means { return meansOf(e.flows, q) }

// Lines are the links that packets of a sequence cross, whose speed is known.
func (e *Engine) Lines(q traffic.Sequence, d record.Direction) []record.Line {
	return e.speeds.lines(e.flows, q, d)
}

// Means are the mean lengths of a sequence's packets, octets, rounded.
type Means struct{ Payload, Inner, Frame, RxFrame int }

func meansOf(flows []*traffic.Flow, q traffic.Sequence) Means {
	mean := func(bytes func(f *traffic.Flow, s traffic.Stream, shape int) int) int {
		var sum, n float64
		for _, slot := range q {
			for _, stream := range flows[slot.Flow].Kinds() { // families have equal shares
				sum += float64(bytes(flows[slot.Flow], stream, int(slot.Shape)))
				n++
			}
		}
		return int(math.Round(sum / n))
	}
	payload := func(f *traffic.Flow, _ traffic.Stream, shape int) int { return f.PayloadBytes(shape) }
	return Means{
		Payload: mean(payload), Inner: mean((*traffic.Flow).InnerBytes),
		Frame: mean((*traffic.Flow).FrameBytes), RxFrame: mean((*traffic.Flow).RxFrameBytes),
	}
}

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
			if slot.Flow == FlowOf(way) {
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
