package trial

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// shapes are the kinds of packet that a direction's flow has: one for each payload
// of the scenario's sizes.
func shapes(s *scenario.Scenario, d record.Direction) []traffic.Shape {
	var list []traffic.Shape
	known := map[int]bool{}
	for _, size := range s.PacketSizes() {
		for _, payload := range size.Payloads(d) {
			if known[payload] {
				continue
			}
			known[payload] = true
			list = append(list, traffic.Shape{Payload: payload, SourcePort: s.UDP.Source, DestinationPort: s.UDP.Destination})
		}
	}
	return list
}

// sequence is what a trial of a size sends: the size's packets in their order; of
// both directions in turn, an uplink one first.
func sequence(flows []*traffic.Flow, size scenario.PacketSize, d record.Direction) traffic.Sequence {
	ways := d.Each()
	order := len(size.Payloads(ways[0]))
	var q traffic.Sequence
	for i := range order {
		for _, way := range ways {
			n := flowOf(way)
			q = append(q, traffic.Slot{Flow: n, Shape: shapeOf(flows[n], size.Payloads(way)[i])})
		}
	}
	return q
}

// shapeOf is the shape of a flow with a payload.
func shapeOf(f *traffic.Flow, payload int) uint16 {
	for i, shape := range f.Shapes {
		if shape.Payload == payload {
			return uint16(i)
		}
	}
	return 0 // shapes has all payloads of the scenario's sizes
}

// means are the mean lengths of a sequence's packets, octets, rounded.
type means struct{ Payload, Inner, Frame, RxFrame int }

func meansOf(flows []*traffic.Flow, q traffic.Sequence) means {
	mean := func(bytes func(f *traffic.Flow, shape int) int) int {
		var sum float64
		for _, s := range q {
			sum += float64(bytes(flows[s.Flow], int(s.Shape)))
		}
		return int(math.Round(sum / float64(len(q))))
	}
	return means{
		Payload: mean((*traffic.Flow).PayloadBytes), Inner: mean((*traffic.Flow).InnerBytes),
		Frame: mean((*traffic.Flow).FrameBytes), RxFrame: mean((*traffic.Flow).RxFrameBytes),
	}
}
