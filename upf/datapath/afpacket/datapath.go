package afpacket

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/fib"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/suppress"
)

// Datapath is the sockets and the workers.
type Datapath struct {
	forward.Control
	sides    [forward.Directions][]*side
	fib      *fib.FIB
	suppress *suppress.Suppressor
	workers  []*worker
	config   Config
	stop     int // an eventfd
	working  bool
	ending   atomic.Bool
	deliver  atomic.Pointer[func([]byte, netip.AddrPort)]
	closing  sync.Once
	closeErr error
}

// Capabilities implements datapath.Datapath.
func (d *Datapath) Capabilities() datapath.Capabilities {
	c := d.Control.Capabilities()
	c.Workers, c.Remarks, c.Deliver, c.Capture, c.Inject = d.Workers, d.Remarks, d.Deliver, d.Capture, d.Inject
	return c
}

// Open takes the interfaces and starts the workers. Root is needed, or CAP_NET_RAW,
// CAP_NET_ADMIN and CAP_BPF.
func Open(c Config) (*Datapath, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("afpacket: %w", err)
	}
	d := &Datapath{stop: -1, config: c}
	if err := d.open(c); err != nil {
		return nil, errors.Join(fmt.Errorf("afpacket: %w", err), d.Close())
	}
	return d, nil
}

func (d *Datapath) open(c Config) (err error) {
	for range c.Workers {
		for way, name := range [...]string{forward.Uplink: c.N3, forward.Downlink: c.N6} {
			s, err := openSide(name)
			if err != nil {
				return err
			}
			d.sides[way] = append(d.sides[way], s)
		}
	}
	for way, by := range [...]tpacket.Field{forward.Uplink: tpacket.TEID, forward.Downlink: tpacket.Destination} {
		if err := spread(by, d.sides[way]); err != nil {
			return err
		}
	}
	if d.fib, err = fib.Open(); err != nil {
		return err
	}
	n3, n6 := d.sides[forward.Uplink][0].usual, d.sides[forward.Downlink][0].usual
	up, down := d.fib.Exit(n6), d.fib.Exit(n3).Tunnels()
	rules := forward.Share(forward.New(forward.Config{
		N3Address: c.N3Address, N3Address6: c.N3Address6, N6: c.N6Tunnels, UEPools: c.UEPools,
		MaxSessions: c.MaxSessions, AllowNested: c.AllowNested, NoECN: c.NoECN,
		Routers: [forward.Directions]forward.Router{forward.Uplink: up, forward.Downlink: down},
		Prepare: [forward.Directions]func(netip.Addr){forward.Uplink: up.Prepare, forward.Downlink: down.Prepare},
	}))
	d.Control = rules.Control()
	d.suppress, err = suppress.Open(suppress.Config{
		N3: suppress.Link{Name: c.N3, Index: n3.Index()}, N6: suppress.Link{Name: c.N6, Index: n6.Index()},
		N3Address: c.N3Address, N3Address6: c.N3Address6, Tunnels: c.N6Tunnels, UEPools: c.UEPools,
	})
	if err != nil {
		return err
	}
	return d.start(rules, c.Workers)
}

func (d *Datapath) start(rules *forward.Shared, workers int) (err error) {
	if d.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return err
	}
	const straysMax = 64 // of a batch: more would be a flood
	for i := range workers {
		w := &worker{
			rules: rules, deliver: &d.deliver, stop: d.stop, ending: &d.ending, ended: make(chan struct{}),
			sides: [forward.Directions]*side{d.sides[forward.Uplink][i], d.sides[forward.Downlink][i]},
			heads: make([][forward.HeadMax]byte, batch), strays: make([][]byte, 0, straysMax),
		}
		d.workers = append(d.workers, w)
		if err := w.open(i, d.config.N3, d.config.N6); err != nil {
			return err
		}
	}
	for _, w := range d.workers {
		threads.Go(w.run)
	}
	d.working = true
	return nil
}

// Remarks lists the interfaces that AF_XDP cannot send to, and why.
func (d *Datapath) Remarks() (all []error) {
	outN3 := func(w *worker) *exit { return w.batches.out }
	outN6 := func(w *worker) *exit { return w.flows.out }
	for _, side := range []struct {
		name string
		out  func(*worker) *exit
	}{{d.config.N3, outN3}, {d.config.N6, outN6}} {
		var slow []error
		for _, w := range d.workers {
			if x := side.out(w); x.frames == nil {
				slow = append(slow, x.slow)
			}
		}
		if len(slow) > 0 {
			all = append(all, fmt.Errorf("%d of %d workers send single frames out of %s by packet sockets, and "+
				"not by AF_XDP: %w", len(slow), len(d.workers), side.name, slow[0]))
		}
	}
	return all
}

// Workers lists what each thread did.
func (d *Datapath) Workers() []datapath.Worker {
	var all []datapath.Worker
	for i, w := range d.workers {
		c := &w.count
		x := datapath.Worker{Received: c.received.Load(), Sent: c.sent.Load(), Joined: c.joined.Load(),
			Lost: c.lost.Load(), Batches: c.batches.Load()}
		for way := range d.sides {
			if missed, err := d.sides[way][i].missed(); err == nil {
				x.Missed += missed
			}
		}
		all = append(all, x)
	}
	return all
}

// Deliver sets the callback for GTP-U that the workers received but do not handle.
func (d *Datapath) Deliver(to func(message []byte, from netip.AddrPort)) { d.deliver.Store(&to) }

// Close ends the workers and gives the interfaces back. Calling it again gives the same
// answer.
func (d *Datapath) Close() error {
	d.closing.Do(func() { d.closeErr = d.close() })
	return d.closeErr
}

func (d *Datapath) close() error {
	var errs []error
	if d.stop >= 0 {
		d.ending.Store(true)
		_, err := unix.Write(d.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		for _, w := range d.workers {
			if d.working {
				<-w.ended
			}
			errs = append(errs, w.close())
		}
		errs = append(errs, err, unix.Close(d.stop))
	}
	if d.suppress != nil {
		errs = append(errs, d.suppress.Close())
	}
	if d.fib != nil {
		d.fib.Close()
	}
	for way := range d.sides {
		for _, s := range d.sides[way] {
			errs = append(errs, s.close())
		}
	}
	return errors.Join(errs...)
}
