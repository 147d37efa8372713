package afpacket

import (
	"errors"
	"time"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/sender"
)

// Path is a flow and where it goes: from one of the tester's ports to another.
type Path struct {
	Flow          *traffic.Flow
	Send, Receive netdev.Port
	Lanes         int // of the sessions, where several CPUs send: traffic.Share's
}

// Config of an engine.
type Config struct {
	Paths  []Path        // a slot's flow is an index of it
	CPUs   []int         // that send, each for its share of the sessions
	Sink   int           // CPU of the thread that receives
	Settle time.Duration // wait for stragglers after the last frame
}

// Engine sends and receives the flows of its paths: a source for each CPU that sends, and a
// sink for each flow, all of which one thread reads.
type Engine struct {
	traffic.Group
	receiver   *receiver
	suppressor suppressor
}

var _ traffic.Engine = (*Engine)(nil)

// settleMin is after how long the kernel has handed a block over that is not full.
const settleMin = 20 * time.Millisecond

// Open opens the sockets and begins to receive. Close the engine when done.
func Open(c Config) (*Engine, error) {
	clock := sender.NewClock()
	e := &Engine{Group: traffic.Group{Settle: max(c.Settle, settleMin)}, receiver: &receiver{cpu: c.Sink, clock: clock}}
	if err := e.openSources(c, clock); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	for _, p := range c.Paths {
		if err := e.openSink(p); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	e.receiver.start()
	return e, nil
}

func (e *Engine) openSources(c Config, clock sender.Clock) error {
	share := traffic.Share{Of: len(c.CPUs)}
	for _, p := range c.Paths {
		share.Lanes = append(share.Lanes, p.Lanes)
	}
	for i, cpu := range c.CPUs {
		share.Source = i
		s := sender.New(cpu, share, clock)
		e.Sources = append(e.Sources, s)
		for _, p := range c.Paths {
			port, err := openSender(p.Send)
			if err != nil {
				return err
			}
			s.Add(p.Flow, p.Send.Name, port)
		}
	}
	return nil
}

func openSender(p netdev.Port) (s *tpacket.Sender, err error) {
	err = p.NS.Do(func() (err error) {
		s, err = tpacket.OpenSender(p.Name)
		return err
	})
	return s, err
}

func (e *Engine) openSink(p Path) error {
	if err := e.suppressor.open(p.Flow, p.Receive); err != nil {
		return err
	}
	in, err := e.receiver.add(p.Flow, p.Receive)
	if err == nil {
		e.Sinks = append(e.Sinks, in)
	}
	return err
}

// RingDrops is how many frames have arrived since Open and found no room in the
// rings that they are read from.
func (e *Engine) RingDrops() (uint64, error) { return e.receiver.drops() }

// Close implements traffic.Engine: it frees the ports.
func (e *Engine) Close() error {
	err := errors.Join(e.receiver.stop(), e.Group.Close())
	e.suppressor.close()
	return err
}
