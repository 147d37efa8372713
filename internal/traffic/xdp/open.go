package xdp

import (
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/traffic"
)

// OpenSource opens one of several sources that send by a schedule, from a CPU; the CPUs of the
// config are not used. Paths whose sessions are others' need a port to send by all the same.
func OpenSource(c Config, cpu int, d traffic.Share, clock *Clock) (traffic.Source, error) {
	s, err := newSource(c, core{cpu, d, clock})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// OpenSink opens the sink of a flow at a port, which can send packets back; nil: it cannot.
func OpenSink(f *traffic.Flow, back *Back, port netdev.Port, clock *Clock) (traffic.Returner, error) {
	s, err := newSink(f, back, port)
	if err != nil {
		return nil, err
	}
	s.clock = clock
	return s, nil
}
