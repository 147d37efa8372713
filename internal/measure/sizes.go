package measure

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
	ways := d.Ways()
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
type means struct{ payload, inner, frame, rxFrame int }

func meansOf(flows []*traffic.Flow, q traffic.Sequence) means {
	mean := func(bytes func(f *traffic.Flow, shape int) int) int {
		var sum float64
		for _, s := range q {
			sum += float64(bytes(flows[s.Flow], int(s.Shape)))
		}
		return int(math.Round(sum / float64(len(q))))
	}
	return means{
		payload: mean((*traffic.Flow).PayloadBytes), inner: mean((*traffic.Flow).InnerBytes),
		frame: mean((*traffic.Flow).FrameBytes), rxFrame: mean((*traffic.Flow).RxFrameBytes),
	}
}

// sizes are those of the plan's trials: a capture that is replayed is one.
func (p *Plan) sizes() []scenario.PacketSize {
	if p.recording == nil {
		return p.Scenario.PacketSizes()
	}
	var payloads []int
	for _, shape := range p.recording.Shapes {
		payloads = append(payloads, shape.Payload)
	}
	return []scenario.PacketSize{{Name: sizeReplayed, Uplink: payloads, Downlink: payloads}}
}

// sizeNamed is one of the plan's sizes.
func (p *Plan) sizeNamed(name string) scenario.PacketSize {
	sizes := p.sizes()
	for _, size := range sizes {
		if size.Name == name {
			return size
		}
	}
	return sizes[0]
}
