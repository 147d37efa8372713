package netns

import (
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// nic is a physical port of the link, and whose it is.
type nic struct {
	end  string
	port *netdev.Port
}

func (l *link) physicalEnds() (list []nic) {
	for _, n := range []nic{{"upf", &l.upf}, {"tester", &l.tester}} {
		if n.port.Physical {
			list = append(list, n)
		}
	}
	return list
}

// setQueues gives physical ports their queues. What they had is on the claim's list, and comes back
// with them.
func (l *link) setQueues(s linkSpec) error {
	if s.queues < 2 {
		return nil
	}
	for _, n := range l.physicalEnds() {
		if err := n.port.Queues().Set(s.queues); err != nil {
			return err
		}
	}
	return nil
}

// spread has a physical N3 hash the TEID, and records how its ports are set up.
func (l *link) spread(s linkSpec) (list []record.NIC, err error) {
	if s.queues < 2 {
		return nil, nil
	}
	for _, n := range l.physicalEnds() {
		r, err := site.SpreadOver(n.port, s.point, n.end, s.spreads)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}
