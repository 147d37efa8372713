package impair

import (
	"errors"
	"fmt"
	"sync"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/fib"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/suppress"
)

// Datapath is the calibrator, opened; it implements datapath.Datapath.
type Datapath struct {
	loop     *loop
	n3, n6   *tpacket.Port
	fib      *fib.FIB
	suppress *suppress.Suppressor
	closing  sync.Once
	closeErr error
}

// Capabilities implements datapath.Datapath. A calibrator that loses and delays packets on purpose
// holds none, and answers none.
func (d *Datapath) Capabilities() datapath.Capabilities {
	return datapath.Capabilities{Measurer: d, ServeAPI: d.ServeAPI}
}

// frameMax is the longest frame that the MTU lets in.
func frameMax(mtu int) int { return max(60, mtu+forward.EthernetBytes) }

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
	if d.fib, err = fib.Open(); err != nil {
		return fmt.Errorf("calibrator: %w", err)
	}
	d.suppress, err = suppress.Open(suppress.Config{
		N3: suppress.Link{Name: cfg.N3, Index: d.n3.Index()}, N6: suppress.Link{Name: cfg.N6, Index: d.n6.Index()},
		N3Address: cfg.N3Address, UEPools: cfg.UEPools,
	})
	if err != nil {
		return fmt.Errorf("calibrator: %w", err)
	}
	d.loop = d.newLoop(cfg)
	threads.Go(d.loop.run)
	return nil
}

// openPort sizes the ring's slots by the MTU, so it asks for that first.
func openPort(name string) (*tpacket.Port, error) {
	mtu, err := mtuOf(name)
	if err != nil {
		return nil, fmt.Errorf("calibrator: %w", err)
	}
	p, err := tpacket.Open(tpacket.Config{Interface: name, MaxFrame: frameMax(mtu)})
	if err != nil {
		return nil, fmt.Errorf("calibrator: %w", err)
	}
	return p, nil
}

func (d *Datapath) newLoop(cfg Config) *loop {
	c := threads.NewClock()
	l := &loop{
		device: d.newDevice(cfg), clock: c, asks: make(chan func(), 64), ended: make(chan struct{}), last: c.Now(),
		ports: [forward.Directions]*tpacket.Port{forward.Uplink: d.n3, forward.Downlink: d.n6},
	}
	for way, side := range []struct {
		parameters Parameters
		exit       *tpacket.Port
	}{{cfg.Plan.Uplink, d.n6}, {cfg.Plan.Downlink, d.n3}} {
		lane := newLane(forward.Direction(way), side.parameters, cfg.Marks, l.pool, newBook(cfg.MaxSessions), c.Now())
		lane.send, lane.clock = side.exit.Send, c.Now
		l.lanes[way] = lane
	}
	return l
}

// newDevice makes the device without its lanes. Packets are at most 64 octets longer
// when they leave than when they came.
func (d *Datapath) newDevice(cfg Config) device {
	forwarder := forward.New(forward.Config{
		N3Address: cfg.N3Address, UEPools: cfg.UEPools, MaxSessions: cfg.MaxSessions, NoRelay: true, NoECN: cfg.NoECN,
		Routers: [forward.Directions]forward.Router{forward.Uplink: d.fib.Exit(d.n6), forward.Downlink: d.fib.Exit(d.n3)},
	})
	packets := newPool(cfg.Plan.buffers(), frameMax(max(d.n3.MTU(), d.n6.MTU()))+64)
	return device{forwarder: forwarder, marks: cfg.Marks, pool: packets}
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
	if d.suppress != nil {
		errs = append(errs, d.suppress.Close())
	}
	if d.fib != nil {
		d.fib.Close()
	}
	for _, p := range []*tpacket.Port{d.n3, d.n6} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}
