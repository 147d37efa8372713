package afpacket

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/receive"
	"github.com/upflab/upflab/internal/traffic/sender"
)

// sink is where one flow's frames arrive.
type sink struct {
	*receive.Receiver
	ring   *tpacket.Blocks
	reader *receiver
}

var _ traffic.Sink = (*sink)(nil)

// Begin implements traffic.Sink: it forgets the last trial and counts the packets of this one.
func (s *sink) Begin(trial uint16) error {
	s.Receiver.Begin(trial)
	return nil
}

// AddLatency implements traffic.Sink: it adds the latencies so far to the counts of h.
func (s *sink) AddLatency(h *traffic.Histogram) error {
	s.Receiver.AddLatency(h)
	return nil
}

// Outcome implements traffic.Sink: it ends the trial and gives what arrived. It waits until what has
// arrived by now was read.
func (s *sink) Outcome(sent []uint64) (traffic.FlowOutcome, error) {
	s.reader.drain()
	return s.Receiver.Outcome(sent), nil
}

// Close implements traffic.Sink: it frees what the sink uses; the thread that reads has ended.
func (s *sink) Close() error { return s.ring.Close() }

// receiver reads the rings of all sinks on one thread, from start to stop.
type receiver struct {
	sinks  []*sink
	rings  []*tpacket.Blocks
	cpu    int
	clock  sender.Clock
	wall   wall
	ending atomic.Bool
	rounds atomic.Uint64 // times that the rings were found empty
	ended  chan error    // nil: not started
}

// add opens a sink.
func (r *receiver) add(f *traffic.Flow, port netdev.Port) (k *sink, err error) {
	err = port.NS.Do(func() error {
		ring, err := tpacket.OpenBlocks(tpacket.BlockConfig{Interface: port.Name})
		if err != nil {
			return err
		}
		k = &sink{receive.New(f), ring, r}
		r.sinks, r.rings = append(r.sinks, k), append(r.rings, ring)
		return nil
	})
	return k, err
}

func (r *receiver) start() {
	r.ended = make(chan error, 1)
	threads.Once(func() { r.ended <- r.loop() })
}

// rest is how long the thread sleeps at most when nothing arrives.
const rest = 5 * time.Millisecond

func (r *receiver) loop() error {
	if err := errors.Join(threads.Pin(0, r.cpu), host.NameThread(host.TrafficThread)); err != nil {
		return err
	}
	// It goes before the DUT's, also those of its NAPI, which have real-time priority: it
	// has little to do, and a ring that is not emptied in time loses frames. Where that is
	// not allowed it shares its CPU as others do. So it must not wait for a thread of normal
	// priority, as a call of the kernel through Go's runtime may: it would spin, and keep
	// that thread and the DUT's from the CPU for some 100 ms.
	_ = threads.Raise(0, host.ReceivePriority+1)
	for !r.ending.Load() {
		idle := true
		for _, in := range r.sinks {
			for in.ring.Next() {
				r.take(in)
				idle = false
			}
		}
		if !idle {
			continue
		}
		r.rounds.Add(1)
		if err := tpacket.WaitBlocks(rest, r.rings...); err != nil {
			return err
		}
	}
	return nil
}

// take counts the frames of a block.
func (r *receiver) take(in *sink) {
	r.wall.look(readBoth(r.clock))
	in.Lock()
	for f, ok := in.ring.Frame(); ok; f, ok = in.ring.Frame() {
		in.Frame(f.Data, r.wall.arrival(f.Realtime))
	}
	in.Unlock()
	in.ring.Release()
}

// drain waits until everything that has arrived by now was read. A thread that gets
// no CPU for long is not waited for.
func (r *receiver) drain() {
	const patience = 5 * time.Second
	from := r.rounds.Load()
	wait.Until(patience, time.Millisecond, func() bool { return r.rounds.Load() >= from+2 || len(r.ended) > 0 })
}

// drops is what found no room in the rings so far.
func (r *receiver) drops() (n uint64, err error) {
	for _, ring := range r.rings {
		d, failed := ring.Drops()
		n, err = n+d, errors.Join(err, failed)
	}
	return n, err
}

// stop ends the thread.
func (r *receiver) stop() error {
	if r.ended == nil {
		return nil
	}
	r.ending.Store(true)
	return <-r.ended
}
