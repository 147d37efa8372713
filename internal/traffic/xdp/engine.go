// Package xdp is the engine that sends XDP live frames from inside the kernel
// (BPF_PROG_TEST_RUN, Linux 5.18) and receives in an XDP program: millions of
// packets a second from one core, timed by one clock.
package xdp

import (
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/traffic"
)

// Path is a flow and where it goes: from one of the tester's ports to another.
type Path struct {
	Flow          *traffic.Flow
	Send, Receive netdev.Port
	Lanes         int // of the sessions, where several CPUs send: traffic.Share's
}

// MaxFlows is how many flows the BPF program sends.
const MaxFlows = len(generatorControl{}.Streams)

// MaxCPUs is how many CPUs send at most.
const MaxCPUs = 64

// Config of an engine.
type Config struct {
	Paths  []Path        // 1..MaxFlows; a slot's flow is an index of it
	CPUs   []int         // that send, each for its share of the sessions; 1..MaxCPUs
	Settle time.Duration // wait for stragglers after the last frame
	// Buffers: what receives is not a native XDP program: the kernel makes
	// each frame a socket buffer, on the sending CPU.
	Buffers bool
}

// Engine sends and receives the flows of its paths: a source for each CPU that sends, and a
// sink for each flow.
type Engine struct {
	traffic.Group
	sources []*source
}

var _ traffic.Engine = (*Engine)(nil)

// Open loads the programs and attaches the sinks. Close the engine when done.
func Open(c Config) (*Engine, error) {
	if n := len(c.Paths); n < 1 || n > MaxFlows {
		return nil, fmt.Errorf("%d flows: the XDP generator sends 1 to %d", n, MaxFlows)
	}
	if n := len(c.CPUs); n < 1 || n > MaxCPUs {
		return nil, fmt.Errorf("%d CPUs that send: the XDP engine sends from 1 to %d", n, MaxCPUs)
	}
	e := &Engine{Group: traffic.Group{Settle: c.Settle}}
	for _, p := range c.Paths {
		s, err := newSink(p.Flow, nil, p.Receive)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.Sinks = append(e.Sinks, s)
	}
	var lanes []int
	for _, p := range c.Paths {
		lanes = append(lanes, p.Lanes)
	}
	for i, cpu := range c.CPUs {
		s, err := newSource(c, core{cpu: cpu, share: traffic.Share{Source: i, Of: len(c.CPUs), Lanes: lanes}})
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.sources, e.Sources = append(e.sources, s), append(e.Sources, s)
	}
	return e, nil
}
