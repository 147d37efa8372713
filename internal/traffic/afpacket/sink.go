package afpacket

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/afpacket"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/receive"
)

// inlet is where one flow's frames arrive.
type inlet struct {
	ring     *afpacket.Blocks
	receiver *receive.Receiver
}

// sink reads all inlets on one thread, from open to close.
type sink struct {
	inlets []inlet
	rings  []*afpacket.Blocks
	cpu    int
	clock  monotonic
	wall   wall
	ending atomic.Bool
	rounds atomic.Uint64 // times that the rings were found empty
	ended  chan error    // nil: not started
}

// add opens an inlet.
func (s *sink) add(f *traffic.Flow, port netdev.Port) error {
	return port.NS.Do(func() error {
		ring, err := afpacket.OpenBlocks(afpacket.BlockConfig{Interface: port.Name})
		if err != nil {
			return err
		}
		s.inlets = append(s.inlets, inlet{ring, receive.New(f)})
		s.rings = append(s.rings, ring)
		return nil
	})
}

func (s *sink) start() {
	s.ended = make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is pinned and ends here
		s.ended <- s.loop()
	}()
}

// rest is how long the thread sleeps at most when nothing arrives.
const rest = 5 * time.Millisecond

func (s *sink) loop() error {
	if err := host.Pin(0, s.cpu); err != nil {
		return err
	}
	goFirst()
	for !s.ending.Load() {
		idle := true
		for i := range s.inlets {
			for s.inlets[i].ring.Next() {
				s.take(&s.inlets[i])
				idle = false
			}
		}
		if !idle {
			continue
		}
		s.rounds.Add(1)
		if err := afpacket.WaitBlocks(rest, s.rings...); err != nil {
			return err
		}
	}
	return nil
}

// goFirst lets the thread go before the DUT's, also those of its NAPI, which have
// real-time priority: it has little to do, and rings that nobody empties lose what
// arrives. Where that is not allowed it shares its CPU as others do.
func goFirst() {
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 2}
	if unix.SchedSetAttr(0, attr, 0) != nil {
		unix.Setpriority(unix.PRIO_PROCESS, 0, -20) // better, not needed
	}
}

// take counts the frames of a block.
func (s *sink) take(in *inlet) {
	s.wall.look(readBoth(s.clock))
	in.receiver.Lock()
	for f, ok := in.ring.Frame(); ok; f, ok = in.ring.Frame() {
		in.receiver.Frame(f.Data, s.wall.arrival(f.Realtime))
	}
	in.receiver.Unlock()
	in.ring.Release()
}

// drain waits until everything that has arrived by now was read. A thread that gets
// no CPU for long is not waited for.
func (s *sink) drain() {
	const patience = 5 * time.Second
	from := s.rounds.Load()
	for end := time.Now().Add(patience); s.rounds.Load() < from+2 && len(s.ended) == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// begin forgets the last trial and counts the next one's frames.
func (s *sink) begin(trial uint16) {
	for _, in := range s.inlets {
		in.receiver.Begin(trial)
	}
}

// drops is what found no room in the rings so far.
func (s *sink) drops() (n uint64, err error) {
	for _, r := range s.rings {
		d, failed := r.Drops()
		n, err = n+d, errors.Join(err, failed)
	}
	return n, err
}

func (s *sink) close() (err error) {
	if s.ended != nil {
		s.ending.Store(true)
		err = <-s.ended
	}
	for _, r := range s.rings {
		err = errors.Join(err, r.Close())
	}
	return err
}
