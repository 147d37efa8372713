package engine

import (
	"slices"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// steer gives each session's G-PDUs a queue of N3's physical ports, where the scenario asks for rules:
// uplink ones by the UPF's TEIDs at its port, downlink ones by the gNB's at the tester's.
func (e *Engine) steer() error {
	if e.cfg.Bench.Site().Spec().Spread != site.SpreadRules {
		return nil
	}
	l := e.cfg.Bench.Site().Links()
	for i := range l.NICs {
		n := &l.NICs[i]
		if n.Link != "n3" {
			continue
		}
		port, teid := &l.UPFN3, func(s traffic.Stream) uint32 { return s.UplinkTEID }
		if n.End == "tester" {
			port, teid = &l.GNB, func(s traffic.Stream) uint32 { return s.DownlinkTEID }
		}
		if err := steerSessions(port, e.flows[FlowOf(record.Uplink)].Streams, teid, n); err != nil {
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
