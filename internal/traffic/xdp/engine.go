// Package xdp is the engine that sends XDP live frames from inside the kernel
// (BPF_PROG_TEST_RUN, Linux 5.18) and receives in an XDP program: millions of
// packets a second from one core, timed by one clock.
package xdp

import (
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/traffic"
)

// Path is a flow and where it goes: from one of the tester's ports to another.
type Path struct {
	Flow          *traffic.Flow
	Send, Receive netdev.Port
}

// MaxFlows is how many flows the BPF program sends: FLOWS of generator.bpf.c.
const MaxFlows = len(generatorControl{}.Streams)

// Config of an engine.
type Config struct {
	Paths  []Path        // 1..MaxFlows; a slot's flow is an index of it
	CPU    int           // that sends
	Settle time.Duration // wait for stragglers after the last frame
	// Buffers: what receives is not a native XDP program: the kernel makes
	// each frame a socket buffer, on the sending CPU.
	Buffers bool
}

// Engine sends and receives the flows of its paths: one source, and a sink for each
// flow.
type Engine struct {
	traffic.Group
	source *source
}

var _ traffic.Engine = (*Engine)(nil)

// Open loads the programs and attaches the sinks. Close the engine when done.
func Open(c Config) (*Engine, error) {
	if n := len(c.Paths); n < 1 || n > MaxFlows {
		return nil, fmt.Errorf("%d flows: the XDP generator sends 1 to %d", n, MaxFlows)
	}
	e := &Engine{Group: traffic.Group{Settle: c.Settle}}
	for _, p := range c.Paths {
		s, err := newSink(p.Flow, p.Receive)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.Sinks = append(e.Sinks, s)
	}
	var err error
	if e.source, err = newSource(c); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.Sources = []traffic.Source{e.source}
	return e, nil
}
