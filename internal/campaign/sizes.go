package campaign

import "github.com/upflab/upflab/internal/scenario"

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
