package open5gs

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// queueLength of the device, in packets. The kernel's own 500 overflow in bursts
// that the UPF could still carry; 4096 are what its users took in
// https://github.com/open5gs/open5gs/issues/3933
const queueLength = 4096

// device is the TUN or TAP through which the UPF's packets go to and from N6.
type device struct {
	name    string // a TAP for Open5GS when "tap" is in it
	mode    netlink.TuntapMode
	pool    netip.Prefix
	gateway netip.Addr
	mtu     int
}

// nextHop is the one neighbour for all UEs behind a TAP: one for each UE would overflow
// the kernel's table. Open5GS accepts frames for any MAC address and sends from proxyMAC.
func nextHop() netip.Addr { return netip.AddrFrom4([4]byte{169, 254, 0, 1}) }

func proxyMAC() net.HardwareAddr { return net.HardwareAddr{0x0e, 0, 0, 0, 0, 1} }

// create makes the device in the UPF's namespace and leads the pool to it. One that is
// there stays as it is: it outlives a UPF that was killed, as it does where it is in use.
func (d *device) create(ns *netdev.Namespace) error {
	return ns.Do(func() error {
		if old, err := ns.Netlink().LinkByName(d.name); err == nil && old.Type() == "tuntap" {
			return nil
		}
		link, err := d.add(ns.Netlink())
		if err != nil {
			return fmt.Errorf("make %s in %s: %w (is /dev/net/tun there?)", d.name, ns.Name, err)
		}
		if err := d.lead(ns.Netlink(), link); err != nil {
			return fmt.Errorf("route %s to %s in %s: %w", d.pool, d.name, ns.Name, err)
		}
		return nil
	})
}

func (d *device) add(nl *netlink.Handle) (netlink.Link, error) {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = d.name
	tuntap := &netlink.Tuntap{LinkAttrs: attrs, Mode: d.mode, Flags: netlink.TUNTAP_NO_PI | netlink.TUNTAP_TUN_EXCL}
	if err := nl.LinkAdd(tuntap); err != nil {
		return nil, err
	}
	link, err := nl.LinkByName(d.name)
	if err != nil {
		return nil, err
	}
	if err := nl.LinkSetMTU(link, d.mtu); err != nil {
		return nil, fmt.Errorf("set MTU %d: %w", d.mtu, err)
	}
	if err := nl.LinkSetTxQLen(link, queueLength); err != nil {
		return nil, fmt.Errorf("set queue length %d: %w", queueLength, err)
	}
	return link, nl.LinkSetUp(link)
}

// lead sets the gateway's address. On a TUN the pool's route comes with it, on a
// TAP it goes by the next hop.
func (d *device) lead(nl *netlink.Handle, link netlink.Link) error {
	bits := d.pool.Bits()
	if d.mode == netlink.TUNTAP_MODE_TAP {
		bits = d.gateway.BitLen()
	}
	own := &net.IPNet{IP: d.gateway.AsSlice(), Mask: net.CIDRMask(bits, d.gateway.BitLen())}
	if err := nl.AddrAdd(link, &netlink.Addr{IPNet: own}); err != nil {
		return fmt.Errorf("set address %s: %w", own, err)
	}
	if d.mode == netlink.TUNTAP_MODE_TUN {
		return nil
	}
	index := link.Attrs().Index
	hop := &netlink.Neigh{LinkIndex: index, State: netlink.NUD_PERMANENT, IP: nextHop().AsSlice(), HardwareAddr: proxyMAC()}
	if err := nl.NeighSet(hop); err != nil {
		return fmt.Errorf("set neighbour %s: %w", hop.IP, err)
	}
	pool := &net.IPNet{IP: d.pool.Masked().Addr().AsSlice(), Mask: net.CIDRMask(d.pool.Bits(), d.pool.Addr().BitLen())}
	return nl.RouteAdd(&netlink.Route{LinkIndex: index, Dst: pool, Gw: hop.IP, Flags: unix.RTNH_F_ONLINK})
}
