package campaign

import (
	"errors"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/afxdp"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// ChooseEngine takes the engine that the scenario asks for, or the fastest that
// works here for UDP payloads of up to so many octets, by its ports. It tries the XDP engine, which
// needs BPF; packet sockets need nothing that a testbed does not.
func ChooseEngine(s *scenario.Scenario, payload int) (record.Engine, error) {
	return chooseEngine(s.Engine, trials{
		xdp: func() error {
			if payload > xdp.MaxPayload {
				return fmt.Errorf("payloads of %d octets are too long for XDP live frames, which take %d", payload, xdp.MaxPayload)
			}
			return xdp.Available()
		},
		afxdp: func() error { return errors.Join(xdp.Available(), afxdp.Available()) },
		ports: func() portsXDP { return lookAtPorts(testerPorts(s)) },
	})
}

// generator is what sends and receives the plan's packets.
func (p *Plan) generator() (record.Engine, error) {
	if p.Scenario.Engine == scenario.EngineTRex {
		return record.Engine{Name: string(scenario.EngineTRex), Why: "the scenario asks for it"}, nil
	}
	return ChooseEngine(p.Scenario, p.longestPayload())
}

// longestPayload is that of all packets that the plan sends, octets.
func (p *Plan) longestPayload() int {
	longest := 0
	for _, size := range p.sizes() {
		longest = max(longest, slices.Max(size.Uplink), slices.Max(size.Downlink))
	}
	return longest
}

// trials are what engines need, tried when it matters.
type trials struct {
	xdp, afxdp func() error
	ports      func() portsXDP
}

func chooseEngine(want scenario.Engine, try trials) (record.Engine, error) {
	chosen := func(e scenario.Engine, why string, values ...any) (record.Engine, error) {
		return record.Engine{Name: string(e), Why: fmt.Sprintf(why, values...)}, nil
	}
	var failed error
	switch want {
	case scenario.EngineXDP:
		failed = try.xdp()
	case scenario.EngineAFXDP:
		failed = try.afxdp()
	case scenario.EngineAuto:
		return fastest(try, chosen)
	}
	if failed != nil {
		return record.Engine{}, fmt.Errorf("the engine %s does not work here: %w: with --set engine=af_packet upflab sends by packet sockets instead", want, failed)
	}
	return chosen(want, "the scenario asks for it")
}

// fastest is what auto takes: live frames where they work, and can be redirected to the
// ports; AF_XDP where these have zero copy; else packet sockets, which are as fast as AF_XDP
// that copies, and need less.
func fastest(try trials, chosen func(scenario.Engine, string, ...any) (record.Engine, error)) (record.Engine, error) {
	if failed := try.xdp(); failed != nil {
		return chosen(scenario.EngineAFPacket, "XDP, which is faster, does not work here: %v", failed)
	}
	at := try.ports()
	switch {
	case at.refuses == "":
		return chosen(scenario.EngineXDP, "the fastest, and it works here")
	case at.copies != "":
		return chosen(scenario.EngineAFPacket, "frames cannot be redirected to %s, and %s has no zero copy for AF_XDP", at.refuses, at.copies)
	}
	if failed := try.afxdp(); failed != nil {
		return chosen(scenario.EngineAFPacket, "frames cannot be redirected to %s, and AF_XDP does not work here: %v", at.refuses, failed)
	}
	return chosen(scenario.EngineAFXDP, "frames cannot be redirected to %s, but it has zero copy for AF_XDP", at.refuses)
}
