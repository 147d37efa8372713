package afxdp

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/sender"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// Path is a flow and where it goes: from one of the tester's ports to another.
type Path struct {
	Flow          *traffic.Flow
	Send, Receive netdev.Port
	Lanes         int // of the sessions, where several CPUs send: traffic.Share's
}

// Config of an engine.
type Config struct {
	Paths  []Path        // a slot's flow is an index of it; each sends by another port
	CPUs   []int         // that send, each for its share of the sessions
	Settle time.Duration // wait for stragglers after the last frame
}

// Engine sends and receives the flows of its paths: a source for each CPU that sends, and a
// sink for each flow.
type Engine struct {
	traffic.Group
	sockets []*socket
}

var _ traffic.Engine = (*Engine)(nil)

// Available tries whether there are AF_XDP sockets here. The error says what is missing.
func Available() error {
	fd, err := unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open an AF_XDP socket: %w", advise(err))
	}
	return unix.Close(fd)
}

// Open attaches the sinks and opens the sockets. Close the engine when done.
func Open(c Config) (*Engine, error) {
	e := &Engine{Group: traffic.Group{Settle: c.Settle}}
	if err := e.openSinks(c); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if err := e.openSources(c); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// openSinks comes first: some drivers send by AF_XDP only where an XDP program is.
func (e *Engine) openSinks(c Config) error {
	for _, p := range c.Paths {
		if err := checkFrames(p.Flow); err != nil {
			return err
		}
		s, err := xdp.OpenSink(p.Flow, nil, p.Receive, nil)
		if err != nil {
			return err
		}
		e.Sinks = append(e.Sinks, s)
	}
	return nil
}

// checkFrames reports shapes whose frames are too long.
func checkFrames(f *traffic.Flow) error {
	for _, s := range f.Kinds() {
		for i := range f.Shapes {
			if n := f.FrameBytes(s, i); n > MaxFrame {
				return fmt.Errorf("%s frames of %d octets: AF_XDP sends %d at most; take engine=af_packet, or a payload of %d or less",
					f.Direction, n, MaxFrame, f.PayloadBytes(i)-n+MaxFrame)
			}
		}
	}
	return nil
}

func (e *Engine) openSources(c Config) error {
	share, clock := traffic.Share{Of: len(c.CPUs)}, sender.NewClock()
	for _, p := range c.Paths {
		share.Lanes = append(share.Lanes, p.Lanes)
	}
	for i, cpu := range c.CPUs {
		share.Source = i
		s := sender.New(cpu, share, clock)
		e.Sources = append(e.Sources, s)
		for _, p := range c.Paths {
			socket, err := openSocket(p.Send, i)
			if err != nil {
				return err
			}
			e.sockets = append(e.sockets, socket)
			s.Add(p.Flow, p.Send.Name, socket)
		}
	}
	return nil
}

// Sockets are those that the engine sends by, one for each CPU and port, and what their NIC's times
// came to since they were opened. Do not call it while it sends.
func (e *Engine) Sockets() (list []record.Socket) {
	for _, s := range e.sockets {
		k := record.Socket{Port: s.port.Name, Queue: s.queue, ZeroCopy: s.zero, SentByNIC: s.times.record(), NoTimes: s.noTimes}
		if s.notZero != nil {
			k.Why = s.notZero.Error()
		}
		list = append(list, k)
	}
	return list
}
