package measure

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/afpacket"
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

// openEngine opens the engine with a flow for each direction.
func (b *bench) openEngine() (err error) {
	var paths []enginePath
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		at := b.site.Links().Path(d)
		f := flow(b.scenario, b.endpoint, b.sessions, d)
		f.Source, f.Destination, f.Expect.MAC = at.Send.MAC, at.UPF.MAC, at.Arrive.MAC
		if b.recording != nil {
			f.Shapes = b.recording.Shapes
		}
		if b.endpoint.Bridge {
			f.Destination = at.Arrive.MAC
		}
		paths = append(paths, enginePath{f, at.Send, at.Arrive})
		b.flows = append(b.flows, f)
	}
	b.engine, err = openEngine(scenario.Engine(b.engineName), paths, b.placement, b.scenario, !b.endpoint.NativeXDP)
	return err
}

// enginePath is a flow and where it goes.
type enginePath struct {
	flow         *traffic.Flow
	send, arrive netdev.Port
}

func openEngine(name scenario.Engine, paths []enginePath, p record.Placement, s *scenario.Scenario, buffers bool) (traffic.Engine, error) {
	if name == scenario.EngineAFPacket {
		c := afpacket.Config{CPU: p.Generator, Sink: p.Sink, Settle: s.Settle.Duration}
		for _, x := range paths {
			c.Paths = append(c.Paths, afpacket.Path{Flow: x.flow, Send: x.send, Receive: x.arrive})
		}
		return afpacket.Open(c)
	}
	c := xdp.Config{CPU: p.Generator, Settle: s.Settle.Duration, Buffers: buffers}
	for _, x := range paths {
		c.Paths = append(c.Paths, xdp.Path{Flow: x.flow, Send: x.send, Receive: x.arrive})
	}
	return xdp.Open(c)
}

// ringDropper is an engine that reads what arrives from rings of its own.
type ringDropper interface{ RingDrops() (uint64, error) }

// ringDrops is what the engine itself had no room for.
func (b *bench) ringDrops() (uint64, error) {
	if r, ok := b.engine.(ringDropper); ok {
		return r.RingDrops()
	}
	return 0, nil
}
