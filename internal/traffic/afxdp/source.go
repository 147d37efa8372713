package afxdp

import (
	"errors"
	"fmt"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/sender"
)

// SourceConfig is for a source of this host, of a schedule that others send by, too.
type SourceConfig struct {
	Flows []*traffic.Flow // of the schedule
	Sends int             // index of the flow that it sends; the others' slots are not its own
	Port  netdev.Port
	Queue int // of the port
	CPU   int
	Share traffic.Share
}

// OpenSource opens it; ahead is how much later than this host's clock the schedule's is, ns modulo
// 2^64. Sinks at the port are xdp.OpenSink's, and come before.
func OpenSource(p SourceConfig, ahead func() uint64) (traffic.Source, error) {
	if p.Sends < 0 || p.Sends >= len(p.Flows) {
		return nil, fmt.Errorf("flow %d of %d", p.Sends, len(p.Flows))
	}
	if err := checkFrames(p.Flows[p.Sends]); err != nil {
		return nil, err
	}
	socket, err := openSocket(p.Port, p.Queue)
	if err != nil {
		return nil, err
	}
	s := sender.New(p.CPU, p.Share, sender.NewClock().Moved(ahead))
	for i, f := range p.Flows {
		if i == p.Sends {
			s.Add(f, p.Port.Name, socket)
		} else {
			s.Add(f, p.Port.Name, others{})
		}
	}
	return s, nil
}

// others is the port of a flow that other hosts send.
type others struct{}

func (others) Send([]tpacket.Parts) (int, error) {
	return 0, errors.New("a packet of a flow that another host sends")
}

func (others) Drain() error { return nil }
func (others) Close() error { return nil }
