package xdp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
)

// Datapath is an open XDP datapath; it implements datapath.Datapath.
type Datapath struct {
	objects upfObjects
	ports   []port
	cfg     Config // of the programs
	links   []link.Link
	mode    Mode
	refusal error // why not native, when mode is a fallback
	wanted  Mode  // of the configuration
	pins    pins
	started bool        // Start has taken over
	left    atomic.Bool // Close leaves what is pinned
	router  *router
	spread  *spread // nil: packets are handled where they are received

	watching sync.Mutex // held while somebody looks at packets
	mu       sync.Mutex // guards table, peers, chains and writes to the rule maps
	table    *table
	direct   direct
	lengths  lengthList // of UE prefixes
	written  lengthList // what the programs have of them
	peers    peers
	chains   *chains
	usages   *usages
	alarms   *ringbuf.Reader
	held     *ringbuf.Reader
	notices  *ringbuf.Reader
	notice   func(datapath.Notice) // nil: nobody listens
	slowly   *ringbuf.Reader
	slow     atomic.Pointer[func(datapath.Slow)]
	injector *injector
	reading  sync.WaitGroup
	closed   sync.Once
	closeErr error
}

// Capabilities implements datapath.Datapath.
func (d *Datapath) Capabilities() datapath.Capabilities {
	return datapath.Capabilities{
		Measurer: d, Resume: d.Resume, Holder: d, OnNotice: d.OnNotice, OnSlow: d.OnSlow, Inject: d.Inject, Persistent: d,
		Workers: d.Workers, Watch: d.Watch, Capture: d.Capture,
	}
}

// Open loads the programs and attaches them. It needs root (or CAP_BPF,
// CAP_NET_ADMIN and CAP_PERFMON), Linux 5.18 or later (tried: see Tried), and IPv4 forwarding on
// both interfaces, for next hops come from the kernel's FIB. The attachment
// ends with Close or with the process.
func Open(cfg Config) (*Datapath, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	ports, err := findPorts(cfg)
	if err != nil {
		return nil, err
	}
	d := &Datapath{table: newTable(cfg.MaxSessions), cfg: cfg}
	d.table.ends = ends{cfg.N3Address6.IsValid(), cfg.N6Tunnels}
	d.chains, d.usages = newChains(&d.objects), newUsages(&d.objects)
	d.peers = newPeers(&d.objects)
	if err := d.start(cfg, ports); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Datapath) start(cfg Config, ports []port) error {
	var err error
	if d.pins, err = openPins(cfg.Pins); err != nil {
		return err
	}
	if err := load(cfg, &d.pins, &d.objects); err != nil {
		return err
	}
	if err := d.chains.open(cfg.MaxSessions); err != nil {
		return fmt.Errorf("xdp: open the tables of rows: %w", err)
	}
	if d.direct, err = openDirect(&d.objects, cfg); err != nil {
		return fmt.Errorf("xdp: open the tables of rules: %w", err)
	}
	d.usages.table, d.usages.limits, d.usages.names = d.chains.usages, d.chains.limits, d.pins.names
	if err := d.usages.readKept(); err != nil {
		return fmt.Errorf("xdp: read the names of usages: %w", err)
	}
	d.ports = bindPrograms(ports, &d.objects, len(cfg.CPUs) > 0)
	if d.spread, err = openSpread(cfg.CPUs, d.ports, &d.objects); err != nil {
		return err
	}
	links, n, err := egressOf(cfg)
	if err != nil {
		return err
	}
	router, err := startRouter(&d.objects, d.ports, links[:n], cfg.probeEvery)
	if err != nil {
		return err
	}
	d.router, d.peers.prepare = router, router.prepare
	if d.alarms, err = ringbuf.NewReader(d.objects.Alarms); err != nil {
		return fmt.Errorf("xdp: read alarms of URRs: %w", err)
	}
	if d.held, err = ringbuf.NewReader(d.objects.HeldPackets); err != nil {
		return fmt.Errorf("xdp: read buffered packets: %w", err)
	}
	if d.notices, err = ringbuf.NewReader(d.objects.Notices); err != nil {
		return fmt.Errorf("xdp: read packets that a router answers: %w", err)
	}
	if d.slowly, err = ringbuf.NewReader(d.objects.SlowPackets); err != nil {
		return fmt.Errorf("xdp: read packets that the kernel is to send: %w", err)
	}
	if d.injector, err = startInjector(d, ownNamespace); err != nil {
		return fmt.Errorf("xdp: start a thread in the network namespace: %w", err)
	}
	d.reading.Go(func() { d.listenSlow(d.slowly) })
	d.reading.Go(func() { d.listenNotices(d.notices) })
	d.reading.Go(func() { d.usages.listen(d.alarms) })
	d.reading.Go(func() { d.chains.holds.listen(d.held) })
	if d.wanted = cfg.Mode; cfg.Pins != "" {
		return nil // Start does it
	}
	return d.attach(cfg.Mode)
}

// Close detaches the programs and frees everything. Calling it again gives the
// same answer.
func (d *Datapath) Close() error {
	d.closed.Do(func() {
		errs := errors.Join(d.closePins(), closeLinks(d.links)) // those that are still pinned stay attached
		if d.injector != nil {
			errs = errors.Join(errs, d.injector.close())
		}
		if d.router != nil {
			d.router.stop()
		}
		for _, r := range []*ringbuf.Reader{d.alarms, d.held, d.notices, d.slowly} {
			if r != nil {
				errs = errors.Join(errs, r.Close())
			}
		}
		d.reading.Wait()
		d.chains.close()
		d.closeErr = errors.Join(errs, d.objects.Close())
	})
	return d.closeErr
}

// port is an interface and the program that goes on it, which is the one that forwards
// where packets are not spread.
type port struct {
	name    string
	index   int
	program *ebpf.Program
	forward *ebpf.Program
}

// findPorts looks up N3 and N6; one port when they are the same.
func findPorts(cfg Config) ([]port, error) {
	names := []string{cfg.N3, cfg.N6}
	if cfg.N3 == cfg.N6 {
		names = names[:1]
	}
	var ports []port
	for _, name := range names {
		ifc, err := net.InterfaceByName(name)
		if err != nil {
			return nil, fmt.Errorf("xdp: find interface %q in this network namespace: %w: see ip link", name, err)
		}
		if err := checkForwarding(name); err != nil {
			return nil, err
		}
		ports = append(ports, port{name: name, index: ifc.Index})
	}
	return ports, nil
}

// checkForwarding catches the fault that would drop every packet: without
// forwarding the kernel's FIB answers nothing.
func checkForwarding(name string) error {
	path := filepath.Join("/proc/sys/net/ipv4/conf", name, "forwarding")
	value, err := os.ReadFile(path)
	if err != nil || strings.TrimSpace(string(value)) != "0" {
		return nil
	}
	return fmt.Errorf("xdp: IPv4 forwarding is off on %s: echo 1 > %s", name, path)
}

func bindPrograms(ports []port, o *upfObjects, spread bool) []port {
	forward := []*ebpf.Program{o.UpfN3, o.UpfN6}
	if len(ports) == 1 {
		forward = []*ebpf.Program{o.UpfN3n6}
	}
	for i := range ports {
		ports[i].forward, ports[i].program = forward[i], forward[i]
		if spread {
			ports[i].program = []*ebpf.Program{o.SpreadN3, o.SpreadN6}[i]
		}
	}
	return ports
}

// attach puts the programs on the ports, all in one mode: a native program
// cannot redirect to a driver that has no native XDP.
func (d *Datapath) attach(mode Mode) error {
	first := mode
	if mode == Auto {
		first = Native
	}
	links, err := attachAll(d.ports, first)
	if err != nil && mode == Auto && canFallBack(err) {
		d.refusal, first = err, Generic
		links, err = attachAll(d.ports, first)
	}
	if err != nil {
		return errors.Join(err, d.refusal)
	}
	d.links, d.mode = links, first
	return nil
}

// canFallBack reports whether generic mode may work: the driver refused, and not
// for a reason that holds in both modes.
func canFallBack(err error) bool {
	return !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.EPERM)
}

func attachAll(ports []port, mode Mode) ([]link.Link, error) {
	var links []link.Link
	for _, p := range ports {
		l, err := attachPort(p, mode)
		if err != nil {
			return nil, errors.Join(err, closeLinks(links))
		}
		links = append(links, l)
	}
	return links, nil
}

func attachPort(p port, mode Mode) (link.Link, error) {
	flags := link.XDPDriverMode
	if mode == Generic {
		flags = link.XDPGenericMode
	}
	l, err := link.AttachXDP(link.XDPOptions{Program: p.program, Interface: p.index, Flags: flags})
	switch {
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.EEXIST):
		return nil, fmt.Errorf("xdp: attach to %s: another XDP program is there: %w: stop its owner, or ip link set dev %s xdp off",
			p.name, err, p.name)
	case errors.Is(err, unix.EPERM):
		return nil, fmt.Errorf("xdp: attach to %s: %w: run as root, or with CAP_NET_ADMIN", p.name, err)
	case err != nil:
		return nil, fmt.Errorf("xdp: attach to %s in %s mode: %w: try mode generic, or a smaller MTU", p.name, mode, err)
	}
	return l, nil
}

func closeLinks(links []link.Link) error {
	var errs []error
	for _, l := range links {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
