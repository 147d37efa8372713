package calibrator

import (
	"errors"
	"fmt"
	"sync"

	"github.com/upflab/upflab/afpacket"
	"github.com/upflab/upflab/upf/datapath"
)

// Datapath is an open calibrator; it implements datapath.Datapath.
type Datapath struct {
	loop     *loop
	n3, n6   *afpacket.Port
	fib      *fib
	keep     *classifier
	closing  sync.Once
	closeErr error
}

var _ datapath.Datapath = (*Datapath)(nil)

// frameMax is the longest frame that the MTU lets in.
func frameMax(mtu int) int { return max(60, mtu+ethernetBytes) }

// Open takes the interfaces and starts the thread that polls them. That thread
// uses one of the CPUs that the calling thread may run on, all of it. Root is
// needed (or CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF).
func Open(cfg Config) (*Datapath, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	d := &Datapath{}
	if err := d.open(cfg); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Datapath) open(cfg Config) (err error) {
	if d.n3, err = openPort(cfg.N3); err != nil {
		return err
	}
	if d.n6, err = openPort(cfg.N6); err != nil {
		return err
	}
	if d.fib, err = newFIB(); err != nil {
		return err
	}
	if d.keep, err = newClassifier(cfg, d.n3, d.n6); err != nil {
		return err
	}
	d.loop = newLoop(cfg, d.n3, d.n6)
	d.loop.routers = [directions]router{uplink: d.fib.exit(d.n6), downlink: d.fib.exit(d.n3)}
	go d.loop.run()
	return nil
}

// openPort sizes the ring's slots by the MTU, so it asks for that first.
func openPort(name string) (*afpacket.Port, error) {
	mtu, err := mtuOf(name)
	if err != nil {
		return nil, fmt.Errorf("calibrator: %w", err)
	}
	p, err := afpacket.Open(afpacket.Config{Interface: name, MaxFrame: frameMax(mtu)})
	if err != nil {
		return nil, fmt.Errorf("calibrator: %w", err)
	}
	return p, nil
}

func newLoop(cfg Config, n3, n6 *afpacket.Port) *loop {
	c := newClock()
	packets := newPool(cfg.Plan.buffers(), frameMax(max(n3.MTU(), n6.MTU()))+64)
	l := &loop{
		forwarder: forwarder{table: newTable(cfg.MaxSessions, cfg.UEPools), n3: cfg.N3Address.As4(), pool: packets},
		clock:     c, asks: make(chan func(), 64), ended: make(chan struct{}), last: c.now(),
		ports: [directions]*afpacket.Port{uplink: n3, downlink: n6},
	}
	for way, side := range []struct {
		parameters Parameters
		exit       *afpacket.Port
	}{{cfg.Plan.Uplink, n6}, {cfg.Plan.Downlink, n3}} {
		lane := newLane(direction(way), side.parameters, packets, newBook(cfg.MaxSessions), c.now())
		lane.send, lane.clock = side.exit.Send, c.now
		l.lanes[way] = lane
	}
	return l
}

// Close ends the thread and gives the interfaces back. Calling it again gives
// the same answer.
func (d *Datapath) Close() error {
	d.closing.Do(func() {
		if d.loop != nil {
			d.loop.stop.Store(true)
			<-d.loop.ended
		}
		d.closeErr = d.free()
	})
	return d.closeErr
}

func (d *Datapath) free() error {
	var errs []error
	if d.keep != nil {
		errs = append(errs, d.keep.close())
	}
	if d.fib != nil {
		d.fib.close()
	}
	for _, p := range []*afpacket.Port{d.n3, d.n6} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}
