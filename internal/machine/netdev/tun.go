package netdev

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
)

// Tun is a TUN or TAP device that a UPF opens by its name.
type Tun struct {
	Name string
	TAP  bool
	// MultiQueue lets the UPF open it several times (IFF_MULTI_QUEUE); a UPF that
	// does not ask for it cannot open such a device.
	MultiQueue  bool
	MTU         int          // octets; 0: the kernel's 1500
	QueueLength int          // packets; 0: the kernel's 500
	Address     netip.Prefix // none when it is not valid
}

// AddTun makes the device, persistent and up. It goes with the namespace.
func (n *Namespace) AddTun(t Tun) (link netlink.Link, err error) {
	err = n.Do(func() error {
		link, err = n.makeTun(t)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make %s in %s: %w (is /dev/net/tun there?)", t.Name, n.Name, err)
	}
	return link, nil
}

func (n *Namespace) makeTun(t Tun) (netlink.Link, error) {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = t.Name
	tuntap := &netlink.Tuntap{LinkAttrs: attrs, Mode: netlink.TUNTAP_MODE_TUN, Flags: netlink.TUNTAP_NO_PI | netlink.TUNTAP_TUN_EXCL}
	if t.TAP {
		tuntap.Mode = netlink.TUNTAP_MODE_TAP
	}
	if t.MultiQueue {
		tuntap.Flags |= netlink.TUNTAP_MULTI_QUEUE
	}
	if err := n.nl.LinkAdd(tuntap); err != nil {
		return nil, err
	}
	link, err := n.nl.LinkByName(t.Name)
	if err != nil {
		return nil, err
	}
	return link, n.setTun(t, link)
}

func (n *Namespace) setTun(t Tun, link netlink.Link) error {
	if t.MTU > 0 {
		if err := n.nl.LinkSetMTU(link, t.MTU); err != nil {
			return fmt.Errorf("set MTU %d: %w", t.MTU, err)
		}
	}
	if t.QueueLength > 0 {
		if err := n.nl.LinkSetTxQLen(link, t.QueueLength); err != nil {
			return fmt.Errorf("set queue length %d: %w", t.QueueLength, err)
		}
	}
	if t.Address.IsValid() {
		own := &net.IPNet{IP: t.Address.Addr().AsSlice(), Mask: net.CIDRMask(t.Address.Bits(), t.Address.Addr().BitLen())}
		if err := n.nl.AddrAdd(link, &netlink.Addr{IPNet: own}); err != nil {
			return fmt.Errorf("set address %s: %w", own, err)
		}
	}
	return n.nl.LinkSetUp(link)
}
