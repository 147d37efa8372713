package xdp

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/xdp/nexthop"
	"github.com/upflab/upflab/upf/datapath/xdp/pin"
)

// Datapath is an open XDP datapath; it implements datapath.Datapath.
type Datapath struct {
	attachment
	objects upfObjects
	cfg     Config // of the programs
	router  *nexthop.Router
	spread  *spread // nil: packets are handled where they are received
	slow    slowPath
	look    looks

	mu       sync.Mutex // guards table, rules, peers, chains and notice
	table    *table
	rules    ruleMaps
	peers    peers
	chains   *chains
	usages   *usages
	alarms   *ringbuf.Reader
	held     *ringbuf.Reader
	notices  *ringbuf.Reader
	notice   func(datapath.Notice) // nil: nobody listens
	reading  sync.WaitGroup
	closed   sync.Once
	closeErr error
}

// Capabilities implements datapath.Datapath.
func (d *Datapath) Capabilities() datapath.Capabilities {
	return datapath.Capabilities{
		Measurer: d, Resume: d.Resume, Holder: d, OnNotice: d.OnNotice, OnSlow: d.slow.OnSlow, Inject: d.slow.injector.Inject, Persistent: &d.attachment,
		Workers: d.Workers, Watch: d.look.Watch, Capture: d.look.Capture,
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
	if d.pins, err = pin.Open(cfg.Pins, upfMapUsages, upfMapTotals); err != nil {
		return err
	}
	if err := load(cfg, &d.pins, &d.objects); err != nil {
		return err
	}
	if err := d.chains.open(cfg.MaxSessions); err != nil {
		return fmt.Errorf("xdp: open the tables of rows: %w", err)
	}
	if d.rules, err = openRuleMaps(&d.objects, cfg); err != nil {
		return fmt.Errorf("xdp: open the tables of rules: %w", err)
	}
	d.usages.table, d.usages.limits, d.usages.names = d.chains.usages, d.chains.limits, d.pins.Names
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
	router, err := nexthop.Start(surroundings(&d.objects), macsOf(&d.objects, d.ports), links[:n], cfg.probeEvery)
	if err != nil {
		return err
	}
	d.router, d.peers.prepare = router, router.Prepare
	if d.alarms, err = ringbuf.NewReader(d.objects.Alarms); err != nil {
		return fmt.Errorf("xdp: read alarms of URRs: %w", err)
	}
	if d.held, err = ringbuf.NewReader(d.objects.HeldPackets); err != nil {
		return fmt.Errorf("xdp: read buffered packets: %w", err)
	}
	if d.notices, err = ringbuf.NewReader(d.objects.Notices); err != nil {
		return fmt.Errorf("xdp: read packets that a router answers: %w", err)
	}
	if err := d.slow.start(&d.objects, cfg, d.ports[0], router); err != nil {
		return err
	}
	d.reading.Go(func() { d.listenNotices(d.notices) })
	d.reading.Go(func() { d.usages.listen(d.alarms) })
	d.reading.Go(func() { d.chains.holds.listen(d.held) })
	d.look = looks{at: &d.attachment, cfg: cfg}
	d.taken = d.usages.forgetOthers
	if d.wanted = cfg.Mode; cfg.Pins != "" {
		return nil // Start does it
	}
	return d.attach(cfg.Mode)
}

// surroundings are what the programs share with their router.
func surroundings(o *upfObjects) nexthop.Programs {
	return nexthop.Programs{
		Generation: o.Generation, Unresolved: o.Unresolved, Wanted: o.Wanted, Wanted6: o.Wanted6, Used: o.Used, Used6: o.Used6,
		Addresses: o.OwnAddresses, Addresses6: o.OwnAddresses6,
	}
}

// macsOf are the ports, and where the programs have their MAC addresses.
func macsOf(o *upfObjects, ports []port) (list []nexthop.Port) {
	for i, p := range ports {
		list = append(list, nexthop.Port{Name: p.name, Index: p.index, MAC: []*ebpf.Variable{o.N3Mac, o.N6Mac}[i]})
	}
	return list
}

// Close detaches the programs and frees everything. Calling it again gives the
// same answer.
func (d *Datapath) Close() error {
	d.closed.Do(func() {
		errs := errors.Join(d.closePins(), closeLinks(d.links)) // those that are still pinned stay attached
		errs = errors.Join(errs, d.slow.close())
		if d.router != nil {
			d.router.Stop()
		}
		for _, r := range []*ringbuf.Reader{d.alarms, d.held, d.notices} {
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
