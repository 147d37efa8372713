package engine

import (
	"fmt"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/afpacket"
	"github.com/upflab/upflab/internal/traffic/afxdp"
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// Path is a flow and where it goes.
type Path struct {
	Flow         *traffic.Flow
	Send, Arrive netdev.Port
}

// running is an open traffic engine and what it can do besides.
type running struct {
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
	paths    []Path
	place    record.Placement
	scenario *scenario.Scenario
	buffers  bool
}

// openers are the engines that send and receive by ports of this host. TRex does it by its own.
func openers() map[scenario.Engine]func(opening) (running, error) {
	return map[scenario.Engine]func(opening) (running, error){
		scenario.EngineXDP: openXDP, scenario.EngineAFXDP: openAFXDP, scenario.EngineAFPacket: openAFPacket,
	}
}

func open(name scenario.Engine, o opening) (running, error) {
	opens, known := openers()[name]
	if !known {
		return running{}, fmt.Errorf("the engine %q is not one that sends by ports of this host", name)
	}
	return opens(o)
}

func openXDP(o opening) (running, error) {
	c := xdp.Config{CPUs: o.place.Senders(), Settle: o.scenario.Settle.Duration, Buffers: o.buffers}
	for _, x := range o.paths {
		c.Paths = append(c.Paths, xdp.Path{Flow: x.Flow, Send: x.Send, Receive: x.Arrive})
	}
	e, err := xdp.Open(c)
	if err != nil {
		return running{}, err
	}
	return running{Engine: e, byWindows: e.ByWindows}, nil
}

func openAFXDP(o opening) (running, error) {
	c := afxdp.Config{CPUs: o.place.Senders(), Settle: o.scenario.Settle.Duration}
	for _, x := range o.paths {
		c.Paths = append(c.Paths, afxdp.Path{Flow: x.Flow, Send: x.Send, Receive: x.Arrive})
	}
	e, err := afxdp.Open(c)
	if err != nil {
		return running{}, err
	}
	return running{Engine: e, byWindows: e.ByWindows, sockets: e.Sockets}, nil
}

func openAFPacket(o opening) (running, error) {
	c := afpacket.Config{CPUs: o.place.Senders(), Sink: o.place.Sink, Settle: o.scenario.Settle.Duration}
	for _, x := range o.paths {
		c.Paths = append(c.Paths, afpacket.Path{Flow: x.Flow, Send: x.Send, Receive: x.Arrive})
	}
	e, err := afpacket.Open(c)
	if err != nil {
		return running{}, err
	}
	return running{Engine: e, byWindows: e.ByWindows, ringDrops: e.RingDrops}, nil
}
