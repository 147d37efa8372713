package trial

import (
	"context"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/afpacket"
	"github.com/upflab/upflab/internal/traffic/afxdp"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// openEngine opens the engine with a flow for each direction.
func (dp *Deployment) openEngine(ctx context.Context) (err error) {
	var paths []enginePath
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		at := dp.site.Links().Path(d)
		f := flow(dp.Scenario, dp.Endpoint, dp.sessions, d)
		f.Source, f.Destination, f.Expect.MAC = at.Send.MAC, at.UPF.MAC, at.Arrive.MAC
		if dp.Recording != nil {
			f.Shapes = dp.Recording.Shapes
		}
		if dp.Endpoint.Kind == dut.Bridge {
			f.Destination = at.Arrive.MAC
		}
		paths = append(paths, enginePath{f, at.Send, at.Arrive})
		dp.flows = append(dp.flows, f)
	}
	if dp.Hosts != nil {
		dp.engine, err = dp.openHosts(ctx)
		return err
	}
	if dp.TRex != nil {
		dp.engine, err = dp.openTRex()
		return err
	}
	dp.engine, err = openEngine(scenario.Engine(dp.EngineName), paths, dp.Placement, dp.Scenario, dp.Endpoint.XDP != dut.NativeXDP)
	return err
}

// enginePath is a flow and where it goes.
type enginePath struct {
	flow         *traffic.Flow
	send, arrive netdev.Port
}

func openEngine(name scenario.Engine, paths []enginePath, p record.Placement, s *scenario.Scenario, buffers bool) (traffic.Engine, error) {
	switch name {
	case scenario.EngineAFPacket:
		c := afpacket.Config{CPUs: p.Senders(), Sink: p.Sink, Settle: s.Settle.Duration}
		for _, x := range paths {
			c.Paths = append(c.Paths, afpacket.Path{Flow: x.flow, Send: x.send, Receive: x.arrive})
		}
		return afpacket.Open(c)
	case scenario.EngineAFXDP:
		c := afxdp.Config{CPUs: p.Senders(), Settle: s.Settle.Duration}
		for _, x := range paths {
			c.Paths = append(c.Paths, afxdp.Path{Flow: x.flow, Send: x.send, Receive: x.arrive})
		}
		return afxdp.Open(c)
	}
	c := xdp.Config{CPUs: p.Senders(), Settle: s.Settle.Duration, Buffers: buffers}
	for _, x := range paths {
		c.Paths = append(c.Paths, xdp.Path{Flow: x.flow, Send: x.send, Receive: x.arrive})
	}
	return xdp.Open(c)
}

// NoteSockets records what the engine's sockets came to, where it has some.
func (dp *Deployment) NoteSockets(out *record.DUT) {
	if list := dp.sockets(); len(list) > 0 {
		out.Setup.Sockets = list
	}
}

// sockets are those that the engine sends by, where it is by AF_XDP.
func (dp *Deployment) sockets() []record.Socket {
	if e, is := dp.engine.(*afxdp.Engine); is {
		return e.Sockets()
	}
	return nil
}

// ringDropper is an engine that reads what arrives from rings of its own.
type ringDropper interface{ RingDrops() (uint64, error) }

// ringDrops is what the engine itself had no room for.
func (dp *Deployment) ringDrops() (uint64, error) {
	if r, ok := dp.engine.(ringDropper); ok {
		return r.RingDrops()
	}
	return 0, nil
}
