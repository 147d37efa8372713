package tun

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/fib"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/n3socket"
)

// Datapath is the device, the sockets and the workers between them.
type Datapath struct {
	forward.Control
	device   *device
	sockets  *n3socket.Group
	sockets6 *n3socket.Group // nil where N3 has no IPv6
	exits    exits           // of tunnels on N6
	fib      *fib.FIB
	isolated *isolation
	workers  []*worker
	config   Config
	stop     int // an eventfd
	deliver  atomic.Pointer[func([]byte, netip.AddrPort)]
	closing  sync.Once
	closeErr error
}

// Capabilities implements datapath.Datapath. The sockets that receive G-PDUs own N3's UDP port, so
// signalling comes from them, too.
func (d *Datapath) Capabilities() datapath.Capabilities {
	c := d.Control.Capabilities()
	c.Workers, c.Remarks, c.Deliver, c.Capture = d.Workers, d.Remarks, d.Deliver, d.Capture
	c.Signalling = d.sockets.Signalling
	if d.sockets6 != nil {
		c.Signalling6 = d.sockets6.Signalling
	}
	return c
}

// Open makes the device and starts the workers. Root is needed, or CAP_NET_ADMIN and
// CAP_NET_RAW.
func Open(c Config) (*Datapath, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.kind(), err)
	}
	d := &Datapath{stop: -1, config: c}
	if err := d.open(c); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", c.kind(), err), d.Close())
	}
	return d, nil
}

func (d *Datapath) open(c Config) error {
	n3, err := linkOf(c.N3)
	if err != nil {
		return err
	}
	n6, err := linkOf(c.N6)
	if err != nil {
		return err
	}
	if err := c.forwards(); err != nil {
		return err
	}
	if d.fib, err = fib.Open(); err != nil {
		return err
	}
	if d.device, err = createDevice(c, n3.MTU); err != nil {
		return err
	}
	ues := fib.Link{Index: d.device.link.Attrs().Index, MTU: n3.MTU - overhead} // who send to each other
	rules := forward.Share(forward.New(forward.Config{
		N3Address: c.N3Address, N3Address6: c.N3Address6, N6: c.N6Tunnels, UEPools: c.UEPools,
		MaxSessions: c.MaxSessions, AllowNested: c.AllowNested, NoECN: c.NoECN, KernelRoutes: true,
		Routers: [forward.Directions]forward.Router{
			forward.Uplink: d.fib.Through(n6).Or(ues), forward.Downlink: d.fib.Through(n3).Tunnels(),
		},
	}))
	d.Control = rules.Control()
	if d.sockets, err = n3socket.Open(n3socket.Config{Address: c.N3Address, Interface: c.N3, Workers: c.Workers}); err != nil {
		return err
	}
	if c.N3Address6.IsValid() {
		if d.sockets6, err = n3socket.Open(n3socket.Config{Address: c.N3Address6, Interface: c.N3, Workers: c.Workers}); err != nil {
			return err
		}
	}
	if d.exits, err = openExits(c); err != nil {
		return err
	}
	d.fib.Follow(n3, d.device.link, overhead)
	if d.isolated, err = isolate(c, n3, n6); err != nil {
		return err
	}
	return d.start(rules)
}

// linkOf finds an interface, whose neighbours are the kernel's.
func linkOf(name string) (fib.Link, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return fib.Link{}, fmt.Errorf("there is no interface %q in this network namespace: see `ip link`", name)
	}
	return fib.Link{Index: ifc.Index, MTU: ifc.MTU}, nil
}

func (d *Datapath) start(rules *forward.Shared) (err error) {
	if d.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return err
	}
	const straysMax = 64 // of a batch: more would be a flood
	for i, q := range d.device.queues {
		w := &worker{
			rules: rules, socket: d.sockets.Workers[i], queue: q, deliver: &d.deliver, stop: d.stop,
			ended: make(chan struct{}), strays: make([]stray, 0, straysMax),
		}
		w.merger.TCPOnly = !offload.KernelCutsUDP()
		if d.sockets6 != nil {
			w.socket6 = d.sockets6.Workers[i]
		}
		if w.exits = d.exits; i == 0 && len(d.exits) > 0 {
			w.entering = newEntering()
		}
		d.workers = append(d.workers, w)
		threads.Go(w.run)
	}
	return nil
}

// Counters implements datapath.Datapath. It is an error when the device has been deleted.
func (d *Datapath) Counters() (datapath.Counters, error) {
	for _, w := range d.workers {
		if w.gone.Load() {
			return datapath.Counters{}, fmt.Errorf("%s is gone: start the UPF again", d.device.name)
		}
	}
	return d.Control.Counters()
}

// Remarks lists the accelerations that this kernel or these privileges do not allow, and why.
func (d *Datapath) Remarks() (all []error) {
	if err := d.device.inside; err != nil {
		all = append(all, fmt.Errorf("packets that are many are forwarded one by one, and not by a thread of the kernel: %w (needs Linux 5.12 and CAP_SYS_ADMIN)", err))
	}
	if err := d.isolated.byRules; err != nil {
		all = append(all, fmt.Errorf("routing rules keep N3 and N6 apart, and not a classifier: %w", err))
	}
	return all
}

// Workers lists what each thread did.
func (d *Datapath) Workers() []datapath.Worker {
	var all []datapath.Worker
	for _, w := range d.workers {
		c := &w.count
		all = append(all, datapath.Worker{
			Received: c.received.Load(), Sent: c.sent.Load(), Joined: c.joined.Load(), Lost: c.lost.Load(), Batches: c.batches.Load(),
		})
	}
	return all
}

// Deliver sets the callback for GTP-U that the workers received but do not handle.
func (d *Datapath) Deliver(to func(message []byte, from netip.AddrPort)) { d.deliver.Store(&to) }

// Close ends the workers and takes the device away. Calling it again gives the same
// answer.
func (d *Datapath) Close() error {
	d.closing.Do(func() { d.closeErr = d.close() })
	return d.closeErr
}

func (d *Datapath) close() error {
	var errs []error
	if d.stop >= 0 {
		_, err := unix.Write(d.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		for _, w := range d.workers {
			<-w.ended
		}
		errs = append(errs, err, unix.Close(d.stop))
	}
	if d.isolated != nil {
		errs = append(errs, d.isolated.Close())
	}
	if d.device != nil {
		errs = append(errs, d.device.close())
	}
	errs = append(errs, d.exits.close())
	for _, g := range []*n3socket.Group{d.sockets, d.sockets6} {
		if g != nil {
			errs = append(errs, g.Close())
		}
	}
	if d.fib != nil {
		d.fib.Close()
	}
	return errors.Join(errs...)
}
