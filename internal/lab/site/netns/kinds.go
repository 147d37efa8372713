package netns

import (
	"fmt"
	"net"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
)

// linkSpec describes a link: the tester's end and the UPF's.
type linkSpec struct {
	site.LinkSpec
	point       string // "n3", "n4", "n6"
	name        string // of the UPF's device, and base of others' names
	testerName  string // of the tester's
	tester, upf *netdev.Namespace
	between     *netdev.Namespace // for what is between the ends
	mtu         int
	queues      int // receive queues of both ends
	spreads     site.SpreadKind
	id          byte // makes the MAC addresses unique within a testbed
	claim       *host.Claim
}

// link is a reference point of a testbed.
type link struct {
	tester, upf netdev.Port
	between     *site.Between // nil: nothing
	nics        []record.NIC  // the ends that are physical ports with several queues
}

// newLink makes a link of the kind that is asked for, with permanent neighbours and
// offloads off: frames cross it as they were built.
func newLink(s linkSpec) (l link, err error) {
	l.tester = netdev.Port{NS: s.tester, Name: s.testerName, MAC: mac(s.id, 1), Addr: s.Tester, More: s.More, Prefix: s.Prefix}
	l.upf = netdev.Port{NS: s.upf, Name: s.name, MAC: mac(s.id, 2), Addr: s.UPF, Prefix: s.Prefix}
	switch s.Kind {
	case site.Bridge:
		err = l.bridged(s)
	case site.Macvlan:
		err = l.macvlan(s)
	case site.Physical:
		err = l.physical(s)
	default:
		err = pair(s, l.tester, l.upf)
	}
	if err != nil {
		return l, fmt.Errorf("make %s link %s: %w", s.kindName(), s.name, err)
	}
	if err := l.configure(s); err != nil {
		return l, err
	}
	if l.nics, err = l.spread(s); err != nil {
		return l, err
	}
	return l, l.await()
}

// configure gives both ends their addresses.
func (l *link) configure(s linkSpec) error {
	if len(s.Elsewhere) > 0 {
		return l.elsewhere(s)
	}
	if err := l.tester.Configure(&l.upf); err != nil {
		return err
	}
	return l.upf.Configure(&l.tester)
}

// elsewhere is for a link to other hosts, of which only the addresses are known.
func (l *link) elsewhere(s linkSpec) error {
	l.tester = netdev.Port{MAC: s.Elsewhere[0].MAC, Addr: s.Tester, Prefix: s.Prefix}
	if err := l.upf.Configure(&l.tester); err != nil {
		return err
	}
	for _, end := range s.Elsewhere[1:] {
		if err := l.upf.NS.AddNeighbour(netdev.Neighbour{Device: l.upf.Name, IP: end.Addr, MAC: end.MAC}); err != nil {
			return err
		}
	}
	return nil
}

// await waits until all ports have a carrier: the kernel tells a bridge of it up to a
// second later, and until then it forwards nothing.
func (l *link) await() error {
	ports := []*netdev.Port{&l.upf}
	if l.tester.Readable() {
		ports = append(ports, &l.tester)
	}
	if l.between != nil {
		ports = append(ports, &l.between.Tester, &l.between.UPF)
	}
	for _, p := range ports {
		if err := awaitCarrier(p); err != nil {
			return err
		}
	}
	return nil
}

const carrierWithin = 10 * time.Second

func awaitCarrier(p *netdev.Port) error {
	var state netlink.LinkOperState
	var err error
	up := wait.Until(carrierWithin, 5*time.Millisecond, func() bool {
		var link netlink.Link
		if link, err = p.NS.Netlink().LinkByIndex(p.Index); err != nil {
			return true
		}
		state = link.Attrs().OperState
		return state == netlink.OperUp || state == netlink.OperUnknown
	})
	if err != nil {
		return fmt.Errorf("wait for a carrier on %s: %w", p.Name, err)
	}
	if !up {
		return fmt.Errorf("%s has no carrier after %v (%s): is its cable in, and the other end up?", p.Name, carrierWithin, state)
	}
	return nil
}

func (s linkSpec) kindName() site.Kind {
	if s.Kind == "" {
		return site.Veth
	}
	return s.Kind
}

// pair makes a veth pair. Each end sends by as many queues as the other one receives by.
func pair(s linkSpec, tester, upf netdev.Port) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = tester.Name, s.mtu, tester.MAC
	attrs.NumRxQueues, attrs.NumTxQueues = s.queues, s.queues
	return tester.NS.Netlink().LinkAdd(&netlink.Veth{
		LinkAttrs: attrs, PeerName: upf.Name, PeerHardwareAddr: upf.MAC, PeerMTU: uint32(s.mtu),
		PeerNumRxQueues: uint32(s.queues), PeerNumTxQueues: uint32(s.queues),
		PeerNamespace: netlink.NsFd(upf.NS.FD()),
	})
}

// bridged makes two pairs and a bridge that joins them.
func (l *link) bridged(s linkSpec) error {
	b := &site.Between{
		Tester: netdev.Port{NS: s.between, Name: s.name + "-t", MAC: mac(s.id, 3)},
		UPF:    netdev.Port{NS: s.between, Name: s.name + "-u", MAC: mac(s.id, 4)},
	}
	if err := pair(s, l.tester, b.Tester); err != nil {
		return err
	}
	if err := pair(s, b.UPF, l.upf); err != nil {
		return err
	}
	bridge, err := newBridge(s)
	if err != nil {
		return err
	}
	for _, p := range []*netdev.Port{&b.Tester, &b.UPF} {
		if err := enslave(p, bridge); err != nil {
			return err
		}
	}
	l.between = b
	return nil
}

// newBridge makes a bridge that only forwards: no spanning tree, no snooping.
func newBridge(s linkSpec) (netlink.Link, error) {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = s.name, s.mtu, mac(s.id, 5)
	off := false
	bridge := &netlink.Bridge{LinkAttrs: attrs, MulticastSnooping: &off}
	if err := s.between.Netlink().LinkAdd(bridge); err != nil {
		return nil, fmt.Errorf("make bridge %s: %w (CONFIG_BRIDGE)", s.name, err)
	}
	return bridge, s.between.Netlink().LinkSetUp(bridge)
}

// enslave puts a port into the bridge. GRO on gives it the NAPI context without which
// nothing can be redirected to its other end.
func enslave(p *netdev.Port, bridge netlink.Link) error {
	link, err := bringUp(p)
	if err != nil {
		return err
	}
	if err := p.NS.Netlink().LinkSetMaster(link, bridge); err != nil {
		return fmt.Errorf("put %s into the bridge: %w", p.Name, err)
	}
	return nil
}

// bringUp prepares a device of the link that is no end of it.
func bringUp(p *netdev.Port) (netlink.Link, error) {
	link, err := p.NS.Netlink().LinkByName(p.Name)
	if err != nil {
		return nil, fmt.Errorf("find %s in %s: %w", p.Name, p.NS.Name, err)
	}
	p.Index = link.Attrs().Index
	if err := p.OffloadsOff(); err != nil {
		return nil, err
	}
	if err := p.SetGRO(true); err != nil {
		return nil, err
	}
	return link, p.NS.Netlink().LinkSetUp(link)
}

// macvlan makes a pair whose far end is the parent of the UPF's device.
func (l *link) macvlan(s linkSpec) error {
	parent := netdev.Port{NS: s.between, Name: s.name + "-p", MAC: mac(s.id, 3)}
	if err := pair(s, l.tester, parent); err != nil {
		return err
	}
	if _, err := bringUp(&parent); err != nil {
		return err
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = l.upf.Name, s.mtu, l.upf.MAC
	attrs.ParentIndex, attrs.Namespace = parent.Index, netlink.NsFd(s.upf.FD())
	child := &netlink.Macvlan{LinkAttrs: attrs, Mode: netlink.MACVLAN_MODE_BRIDGE}
	if err := s.between.Netlink().LinkAdd(child); err != nil {
		return fmt.Errorf("make macvlan device %s: %w (CONFIG_MACVLAN, module macvlan)", l.upf.Name, err)
	}
	l.upf.Lower = &parent
	return nil
}

// physical moves the devices of both ends.
func (l *link) physical(s linkSpec) error {
	if err := s.claim.TakeDevice(s.Device, &l.upf, s.mtu); err != nil {
		return err
	}
	if len(s.Elsewhere) == 0 {
		if err := s.claim.TakeDevice(s.TesterDevice, &l.tester, s.mtu); err != nil {
			return err
		}
	}
	return l.setQueues(s)
}

// mac is a locally administered address: link id, then end.
func mac(id, end byte) net.HardwareAddr { return net.HardwareAddr{0x02, 0x75, 0x70, 0x66, id, end} }
