package campaign

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// ChooseEngine takes the engine that the scenario asks for, or the fastest that
// works here for UDP payloads of up to so many octets. It tries the XDP engine, which
// needs BPF; the other needs nothing that a testbed does not.
func ChooseEngine(want scenario.Engine, payload int) (record.Engine, error) {
	return chooseEngine(want, func() error {
		if payload > xdp.MaxPayload {
			return fmt.Errorf("payloads of %d octets are too long for XDP live frames, which take %d", payload, xdp.MaxPayload)
		}
		return xdp.Available()
	})
}

// engine is what sends and receives in the plan.
func (p *Plan) engine() (record.Engine, error) {
	if p.applied() {
		return applicationEngine(p.Scenario.RAN), nil
	}
	if p.Scenario.Engine == scenario.EngineTRex {
		return record.Engine{Name: string(scenario.EngineTRex), Why: "the scenario asks for it"}, nil
	}
	return ChooseEngine(p.Scenario.Engine, p.longestPayload())
}

// longestPayload is that of all packets that the plan sends, octets.
func (p *Plan) longestPayload() int {
	longest := 0
	for _, size := range p.sizes() {
		longest = max(longest, slices.Max(size.Uplink), slices.Max(size.Downlink))
	}
	return longest
}

func chooseEngine(want scenario.Engine, tryXDP func() error) (record.Engine, error) {
	if want == scenario.EngineAFPacket {
		return record.Engine{Name: string(want), Why: "the scenario asks for it"}, nil
	}
	failed := tryXDP()
	switch {
	case failed == nil && want == scenario.EngineXDP:
		return record.Engine{Name: string(want), Why: "the scenario asks for it"}, nil
	case failed == nil:
		return record.Engine{Name: string(scenario.EngineXDP), Why: "the fastest, and it works here"}, nil
	case want == scenario.EngineXDP:
		return record.Engine{}, fmt.Errorf("the XDP engine does not work here: %w: with --set engine=af_packet upflab sends by packet sockets instead", failed)
	}
	return record.Engine{Name: string(scenario.EngineAFPacket), Why: fmt.Sprintf("XDP, which is faster, does not work here: %v", failed)}, nil
}
