package site

import (
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
)

// Kind is how a link is made.
type Kind string

// The kinds of link; the zero value is a veth pair.
const (
	Veth Kind = "veth"
	// Bridge is a veth pair on each side of a Linux bridge, which is in a namespace
	// of its own.
	Bridge Kind = "bridge"
	// Macvlan gives the UPF a macvlan device in bridge mode, on one end of a veth pair.
	Macvlan Kind = "macvlan"
	// Physical moves named devices of the host into the namespaces.
	Physical Kind = "physical"
)

// Between is what stands between the two ports of a link: the ports of a bridge.
type Between struct {
	Tester Port // towards the tester
	UPF    Port // towards the UPF
}

// link is a reference point of a testbed.
type link struct {
	tester, upf Port
	between     *Between // nil: nothing
}

// newLink makes a link of the kind that is asked for, with permanent neighbours and
// offloads off: frames cross it as they were built.
func newLink(s linkSpec) (l link, err error) {
	l.tester = Port{NS: s.tester, Name: s.name, MAC: mac(s.id, 1), Addr: s.testerIP, Prefix: s.prefix}
	l.upf = Port{NS: s.upf, Name: s.name, MAC: mac(s.id, 2), Addr: s.upfIP, Prefix: s.prefix}
	switch s.kind {
	case Bridge:
		err = l.bridged(s)
	case Macvlan:
		err = l.macvlan(s)
	case Physical:
		err = l.physical(s)
	default:
		err = pair(s, l.tester, l.upf)
	}
	if err != nil {
		return l, fmt.Errorf("make %s link %s: %w", s.kindName(), s.name, err)
	}
	if err := l.tester.configure(&l.upf); err != nil {
		return l, err
	}
	if err := l.upf.configure(&l.tester); err != nil {
		return l, err
	}
	return l, l.await()
}

// await waits until all ports have a carrier: the kernel tells a bridge of it up to a
// second later, and until then it forwards nothing.
func (l *link) await() error {
	ports := []*Port{&l.tester, &l.upf}
	if l.between != nil {
		ports = append(ports, &l.between.Tester, &l.between.UPF)
	}
	for _, p := range ports {
		if err := p.await(); err != nil {
			return err
		}
	}
	return nil
}

const carrierWithin = 10 * time.Second

func (p *Port) await() error {
	for end := time.Now().Add(carrierWithin); ; time.Sleep(5 * time.Millisecond) {
		link, err := p.NS.nl.LinkByIndex(p.Index)
		if err != nil {
			return fmt.Errorf("wait for a carrier on %s: %w", p.Name, err)
		}
		state := link.Attrs().OperState
		if state == netlink.OperUp || state == netlink.OperUnknown {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s has no carrier after %v (%s): is its cable in, and the other end up?", p.Name, carrierWithin, state)
		}
	}
}

func (s linkSpec) kindName() Kind {
	if s.kind == "" {
		return Veth
	}
	return s.kind
}

// pair makes a veth pair: the first end has one receive queue, the second as many
// as the UPF shall have.
func pair(s linkSpec, tester, upf Port) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = tester.Name, s.mtu, tester.MAC
	attrs.NumRxQueues, attrs.NumTxQueues = 1, s.queues
	return tester.NS.nl.LinkAdd(&netlink.Veth{
		LinkAttrs: attrs, PeerName: upf.Name, PeerHardwareAddr: upf.MAC, PeerMTU: uint32(s.mtu),
		PeerNumRxQueues: uint32(s.queues), PeerNumTxQueues: 1,
		PeerNamespace: netlink.NsFd(int(upf.NS.ns)),
	})
}

// bridged makes two pairs and a bridge that joins them.
func (l *link) bridged(s linkSpec) error {
	b := &Between{
		Tester: Port{NS: s.between, Name: s.name + "-t", MAC: mac(s.id, 3)},
		UPF:    Port{NS: s.between, Name: s.name + "-u", MAC: mac(s.id, 4)},
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
	for _, p := range []*Port{&b.Tester, &b.UPF} {
		if err := p.enslave(bridge); err != nil {
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
	if err := s.between.nl.LinkAdd(bridge); err != nil {
		return nil, fmt.Errorf("make bridge %s: %w (CONFIG_BRIDGE)", s.name, err)
	}
	return bridge, s.between.nl.LinkSetUp(bridge)
}

// enslave puts a port into the bridge. GRO on gives it the NAPI context without which
// nothing can be redirected to its other end.
func (p *Port) enslave(bridge netlink.Link) error {
	link, err := p.up()
	if err != nil {
		return err
	}
	if err := p.NS.nl.LinkSetMaster(link, bridge); err != nil {
		return fmt.Errorf("put %s into the bridge: %w", p.Name, err)
	}
	return nil
}

// up prepares a device of the link that is no end of it.
func (p *Port) up() (netlink.Link, error) {
	link, err := p.NS.nl.LinkByName(p.Name)
	if err != nil {
		return nil, fmt.Errorf("find %s in %s: %w", p.Name, p.NS.Name, err)
	}
	p.Index = link.Attrs().Index
	if err := p.offloadsOff(); err != nil {
		return nil, err
	}
	if err := p.SetGRO(true); err != nil {
		return nil, err
	}
	return link, p.NS.nl.LinkSetUp(link)
}

// macvlan makes a pair whose far end is the parent of the UPF's device.
func (l *link) macvlan(s linkSpec) error {
	parent := Port{NS: s.between, Name: s.name + "-p", MAC: mac(s.id, 3)}
	if err := pair(s, l.tester, parent); err != nil {
		return err
	}
	if _, err := parent.up(); err != nil {
		return err
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = l.upf.Name, s.mtu, l.upf.MAC
	attrs.ParentIndex, attrs.Namespace = parent.Index, netlink.NsFd(int(s.upf.ns))
	child := &netlink.Macvlan{LinkAttrs: attrs, Mode: netlink.MACVLAN_MODE_BRIDGE}
	if err := s.between.nl.LinkAdd(child); err != nil {
		return fmt.Errorf("make macvlan device %s: %w (CONFIG_MACVLAN, module macvlan)", l.upf.Name, err)
	}
	l.upf.lower = &parent
	return nil
}
