package plan

import (
	"slices"

	"github.com/upflab/upflab/internal/measure/campaign/engine"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// generator is what sends and receives the plan's packets.
func (p *Plan) generator() (record.Engine, error) {
	if p.Scenario.Engine == scenario.EngineTRex {
		return record.Engine{Name: string(scenario.EngineTRex), Why: "the scenario asks for it"}, nil
	}
	return engine.Choose(p.Scenario, p.longestPayload())
}

// longestPayload is that of all packets that the plan sends, octets.
func (p *Plan) longestPayload() int {
	longest := 0
	for _, size := range p.Sizes() {
		longest = max(longest, slices.Max(size.Uplink), slices.Max(size.Downlink))
	}
	return longest
}
