package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/afpacket"
	"github.com/upflab/upflab/internal/traffic/afxdp"
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// openEngine opens the engine with a flow for each direction.
func (dp *Deployment) openEngine(ctx context.Context) (err error) {
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
		dp.paths = append(dp.paths, enginePath{f, at.Send, at.Arrive})
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
	dp.engine, err = openEngine(scenario.Engine(dp.EngineName), opening{dp.paths, dp.Placement, dp.Scenario, dp.Endpoint.XDP != dut.NativeXDP})
	return err
}

// enginePath is a flow and where it goes.
type enginePath struct {
	flow         *traffic.Flow
	send, arrive netdev.Port
}

// engine is an open traffic engine and what it can do besides. It has no engine before it is opened.
type engine struct {
	traffic.Engine
	// byWindows has it count by windows in the trials to come, or no longer; nil: that changes no program
	// at a port.
	byWindows func(on bool) error
	// ringDrops is how many packets have arrived so far for which the engine itself had no room; nil: it
	// reads from no rings.
	ringDrops func() (uint64, error)
	// sockets are those that it sends by; nil: they are not described.
	sockets func() []record.Socket
	// shares are what each host did in the trial that came to an outcome; nil: it runs on this host alone.
	shares func(*traffic.Outcome) []hosts.Share
}

// opening is what an engine is opened with.
type opening struct {
	paths    []enginePath
	place    record.Placement
	scenario *scenario.Scenario
	buffers  bool
}

// openers are the engines that send and receive by ports of this host. TRex does it by its own.
func openers() map[scenario.Engine]func(opening) (engine, error) {
	return map[scenario.Engine]func(opening) (engine, error){
		scenario.EngineXDP: openXDP, scenario.EngineAFXDP: openAFXDP, scenario.EngineAFPacket: openAFPacket,
	}
}

func openEngine(name scenario.Engine, o opening) (engine, error) {
	open, known := openers()[name]
	if !known {
		return engine{}, fmt.Errorf("the engine %q is not one that sends by ports of this host", name)
	}
	return open(o)
}

func openXDP(o opening) (engine, error) {
	c := xdp.Config{CPUs: o.place.Senders(), Settle: o.scenario.Settle.Duration, Buffers: o.buffers}
	for _, x := range o.paths {
		c.Paths = append(c.Paths, xdp.Path{Flow: x.flow, Send: x.send, Receive: x.arrive})
	}
	e, err := xdp.Open(c)
	if err != nil {
		return engine{}, err
	}
	return engine{Engine: e, byWindows: e.ByWindows}, nil
}

func openAFXDP(o opening) (engine, error) {
	c := afxdp.Config{CPUs: o.place.Senders(), Settle: o.scenario.Settle.Duration}
	for _, x := range o.paths {
		c.Paths = append(c.Paths, afxdp.Path{Flow: x.flow, Send: x.send, Receive: x.arrive})
	}
	e, err := afxdp.Open(c)
	if err != nil {
		return engine{}, err
	}
	return engine{Engine: e, byWindows: e.ByWindows, sockets: e.Sockets}, nil
}

func openAFPacket(o opening) (engine, error) {
	c := afpacket.Config{CPUs: o.place.Senders(), Sink: o.place.Sink, Settle: o.scenario.Settle.Duration}
	for _, x := range o.paths {
		c.Paths = append(c.Paths, afpacket.Path{Flow: x.flow, Send: x.send, Receive: x.arrive})
	}
	e, err := afpacket.Open(c)
	if err != nil {
		return engine{}, err
	}
	return engine{Engine: e, byWindows: e.ByWindows, ringDrops: e.RingDrops}, nil
}

// NoteSockets records what the engine's sockets came to, where it has some.
func (dp *Deployment) NoteSockets(out *record.DUT) {
	if list := dp.sockets(); len(list) > 0 {
		out.Setup.Sockets = list
	}
}

// sockets are those that the engine sends by, where it is by AF_XDP.
func (dp *Deployment) sockets() []record.Socket {
	if dp.engine.sockets == nil {
		return nil
	}
	return dp.engine.sockets()
}

// ringDrops is what the engine itself had no room for.
func (mt *meters) ringDrops() (uint64, error) {
	if mt.engine.ringDrops == nil {
		return 0, nil
	}
	return mt.engine.ringDrops()
}

// openTraffic opens the engine and gives each part its CPU.
func (dp *Deployment) openTraffic(ctx context.Context) error {
	if err := dp.openEngine(ctx); err != nil {
		return err
	}
	if err := dp.steer(); err != nil {
		return err
	}
	if dp.Scenario.BPFStats {
		stats, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
		if err != nil {
			return fmt.Errorf("switch BPF run-time statistics on: %w", err)
		}
		dp.stats = stats
	}
	var err error
	if dp.drops, err = dp.site.OpenDrops(); err != nil {
		return err
	}
	dp.speeds = speedsOf(dp.site.Links())
	threads, err := dp.site.PrepareReceive(dp.receive())
	dp.subject.NAPI = threads
	return err
}

// receive gives the NAPI threads of the UPF's ports and of the sink's their CPUs. On
// one shared CPU everything runs where it is sent from, without threads; and so it
// does where there are no threads of the kernel's to pin.
func (dp *Deployment) receive() site.Receive {
	r := site.Receive{NAPI: dp.Endpoint.XDP != dut.NativeXDP, SinkNAPI: scenario.Engine(dp.EngineName) == scenario.EngineAFPacket}
	if dp.Placement.Kind == host.Shared || !host.PinsNAPI() {
		return r
	}
	r.UPF = dp.receiveCPUs()
	if !slices.Contains(dp.Placement.DUT, dp.Placement.Sink) { // else it runs in the softirq that sends to it
		r.Sink = dp.Placement.Receivers()
	}
	return r
}

// receiveCPUs are where the kernel receives for the UPF. An XDP program is the UPF:
// that is the DUT's CPU. A UPF that sleeps on sockets and its receive work
// would wake each other on one CPU, packet by packet, and get next to nothing
// done, and one that polls, sockets or what an XDP program hands it (AF_XDP), would be
// interrupted as often: they are separated.
// nil leaves it where the kernel has it, in the softirq of the sender.
func (dp *Deployment) receiveCPUs() []int {
	switch {
	case !dp.site.OwnsUPF():
		return nil
	case dp.Endpoint.XDP.Receives() && !dp.Endpoint.Polls:
		return dp.Placement.DUT
	case slices.Contains(dp.Placement.DUT, dp.Placement.Sink):
		return nil
	}
	return dp.Placement.Receivers()
}

// receivesElsewhere reports whether the kernel's receive work for the UPF is on a
// CPU that is not the UPF's.
func (j judge) receivesElsewhere() bool {
	return j.ours && !j.endpoint.IsWire() && (!j.endpoint.XDP.Receives() || j.endpoint.Polls) && j.placement.Kind != host.Shared
}

// placementRemark names the work for a DUT that is not on its CPU.
func (dp *Deployment) placementRemark() string {
	if !dp.site.OwnsUPF() || dp.Endpoint.IsWire() || dp.Placement.Kind == host.Shared || dp.receiveCPUs() != nil && host.PinsNAPI() {
		return ""
	}
	return "The kernel's receive work for this UPF runs on the generator's CPU and is not in the UPF's CPU " +
		"figure; it also slows the generator down."
}

// steer gives each session's G-PDUs a queue of N3's physical ports, where the scenario asks for rules:
// uplink ones by the UPF's TEIDs at its port, downlink ones by the gNB's at the tester's.
func (dp *Deployment) steer() error {
	if dp.site.Spec().Spread != site.SpreadRules {
		return nil
	}
	l := dp.site.Links()
	for i := range l.NICs {
		n := &l.NICs[i]
		if n.Link != "n3" {
			continue
		}
		port, teid := &l.UPFN3, func(s traffic.Stream) uint32 { return s.UplinkTEID }
		if n.End == "tester" {
			port, teid = &l.GNB, func(s traffic.Stream) uint32 { return s.DownlinkTEID }
		}
		if err := steerSessions(port, dp.flows[flowOf(record.Uplink)].Streams, teid, n); err != nil {
			return err
		}
	}
	return nil
}

func steerSessions(p *netdev.Port, sessions []traffic.Stream, teid func(traffic.Stream) uint32, n *record.NIC) error {
	list := make([]uint32, 0, len(sessions))
	for _, s := range sessions {
		list = append(list, teid(s))
	}
	slices.Sort(list)
	list = slices.Compact(list) // a session may have several streams
	if err := p.Queues().SteerTEIDs(list, n.Queues); err != nil {
		return err
	}
	n.Rules = len(list)
	return nil
}

// setGRO decides whether the kernel merges what arrives at the UPF's ports before the UPF
// sees it. By itself it does so at the parent of a macvlan device alone, whose child gets
// what is merged without a transmission that would cut it: most UPFs cannot cut it either.
func (dp *Deployment) setGRO() error {
	l := dp.site.Links()
	switch {
	case !dp.site.OwnsUPF():
		return nil
	case dp.Scenario.GRO == scenario.GROOn:
		return errors.Join(l.UPFN3.SetGRO(true), l.UPFN6.SetGRO(true))
	case dp.Scenario.GRO == scenario.GROOff || l.UPFN3.Lower != nil || l.UPFN6.Lower != nil:
		return errors.Join(l.UPFN3.SetGRO(false), l.UPFN6.SetGRO(false))
	}
	return nil
}

// MergesAtN6 reports whether the kernel merges segments at the UPF's N6.
func (mt *meters) MergesAtN6() bool {
	if !mt.site.OwnsUPF() {
		return false
	}
	on, err := mt.site.Links().UPFN6.GRO()
	return err == nil && on
}
