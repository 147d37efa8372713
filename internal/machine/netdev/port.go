package netdev

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
)

// Port is one end of a link. Of a port without a namespace only the addresses are
// known: it belongs to a UPF that runs elsewhere.
type Port struct {
	NS     *Namespace
	Name   string // of the device
	Index  int
	MAC    net.HardwareAddr
	Addr   netip.Addr
	Prefix int
	More   []netip.Addr // further addresses, in the same subnet: of other gNBs
	Addr6  netip.Addr   // its IPv6 address; invalid: it has none

	Lower    *Port  // the device that sends and receives for it (a macvlan device's parent); nil: itself
	Physical bool   // it is a device of the host, not one that a run made
	HomeName string // another name that it had when its NAPI threads got theirs; "": none
}

// Readable reports whether the port can be looked at from here.
func (p *Port) Readable() bool { return p.NS != nil }

// device is what sends and receives for the port: its NAPI, GRO and rings.
func (p *Port) device() *Port {
	if p.Lower != nil {
		return p.Lower
	}
	return p
}

// Addrs are all IPv4 addresses of the port.
func (p *Port) Addrs() []netip.Addr { return append([]netip.Addr{p.Addr}, p.More...) }

// Configure sets the addresses, the offloads and the neighbours, and brings the
// port up.
func (p *Port) Configure(peer *Port) error {
	link, err := p.NS.nl.LinkByName(p.Name)
	if err != nil {
		return fmt.Errorf("find %s in %s: %w", p.Name, p.NS.Name, err)
	}
	p.Index = link.Attrs().Index
	addr := &netlink.Addr{IPNet: &net.IPNet{IP: p.Addr.AsSlice(), Mask: net.CIDRMask(p.Prefix, p.Addr.BitLen())}}
	if err := p.NS.nl.AddrAdd(link, addr); err != nil {
		return fmt.Errorf("set %s on %s: %w", addr.IPNet, p.Name, err)
	}
	if err := p.OffloadsOff(); err != nil {
		return err
	}
	if err := p.NS.nl.LinkSetUp(link); err != nil {
		return fmt.Errorf("bring up %s: %w", p.Name, err)
	}
	for _, ip := range p.More {
		if err := p.AddAddress(ip); err != nil {
			return err
		}
	}
	for _, ip := range peer.Addrs() {
		if err := p.neighbour(ip, peer.MAC); err != nil {
			return err
		}
	}
	return nil
}

// AddAddress gives the port one more address; one that it has is no error.
func (p *Port) AddAddress(ip netip.Addr) error {
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return fmt.Errorf("find %s in %s: %w", p.Name, p.NS.Name, err)
	}
	addr := &netlink.Addr{IPNet: &net.IPNet{IP: ip.AsSlice(), Mask: net.CIDRMask(p.Prefix, ip.BitLen())}}
	if err := p.NS.nl.AddrReplace(link, addr); err != nil {
		return fmt.Errorf("add %s to %s: %w", ip, p.Name, err)
	}
	return nil
}

// neighbour installs a permanent neighbour entry on the port.
func (p *Port) neighbour(ip netip.Addr, hw net.HardwareAddr) error {
	n := &netlink.Neigh{LinkIndex: p.Index, State: netlink.NUD_PERMANENT, IP: ip.AsSlice(), HardwareAddr: hw}
	if err := p.NS.nl.NeighSet(n); err != nil {
		return fmt.Errorf("set neighbour %s on %s: %w", ip, p.Name, err)
	}
	return nil
}
