package tun

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/ethtool"
)

// device is the TUN or TAP device. It goes with the last of its queues.
type device struct {
	name   string
	link   netlink.Link
	queues []*queue
	// inside is why packets go on inside their writes, and not by threads of the kernel; nil: they do.
	inside error
}

// queueLength is how many packets each queue holds, for its reader.
const queueLength = 4096

// overhead is what encapsulation adds to a packet: outer IPv4, UDP and GTP-U with a PDU session
// container. What an outer IPv6 header makes too big is the rules'.
const overhead = 20 + 8 + 16

// nextHop and nextHop6 are the one neighbour for all UEs behind the device, and peerMAC its
// address behind a TAP device.
var (
	nextHop  = netip.AddrFrom4([4]byte{169, 254, 0, 1})
	nextHop6 = netip.AddrFrom16([16]byte{0: 0xfe, 1: 0x80, 15: 1})
)

func (c Config) nextHops() []netip.Addr {
	if c.hasIPv6() {
		return []netip.Addr{nextHop, nextHop6}
	}
	return []netip.Addr{nextHop}
}

func peerMAC() net.HardwareAddr { return net.HardwareAddr{0x02, 'u', 'p', 'f', 0, 1} }

// createDevice makes the device with its queues, so that G-PDUs of its packets fit n3MTU,
// and leads the pools to it.
func createDevice(c Config, n3MTU int) (*device, error) {
	if _, err := net.InterfaceByName(c.Device); err == nil {
		return nil, fmt.Errorf("there is an interface %s already: name another by datapath.device", c.Device)
	}
	d, inside := openThreaded(c)
	if inside != nil {
		var err error
		if d, err = openDevice(c, nil); err != nil {
			return nil, fmt.Errorf("make %s: %w (is /dev/net/tun there? root is needed, or CAP_NET_ADMIN)", c.Device, err)
		}
		d.inside = inside
	}
	if err := d.setUp(c, n3MTU-overhead); err != nil {
		return nil, errors.Join(fmt.Errorf("set up %s: %w", c.Device, err), d.close())
	}
	return d, nil
}

// openThreaded makes the device with a thread of the kernel for each queue. Where that cannot
// be, each packet goes on inside its write.
func openThreaded(c Config) (*device, error) {
	if c.threadless {
		return nil, errors.ErrUnsupported
	}
	l := &limit{}
	d, err := openDevice(c, l)
	if err != nil {
		return nil, err
	}
	if err = l.set(d.queues[0].fd, waitingMax); err == nil {
		err = giveThreads(c.Device)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func openDevice(c Config, l *limit) (*device, error) {
	d := &device{name: c.Device}
	for range c.Workers {
		q, err := openQueue(c, l)
		if err != nil {
			return nil, errors.Join(err, d.close())
		}
		d.queues = append(d.queues, q)
	}
	return d, nil
}

func (d *device) setUp(c Config, mtu int) (err error) {
	if d.link, err = netlink.LinkByName(d.name); err != nil {
		return err
	}
	for _, q := range d.queues {
		q.prefix(d.link.Attrs().HardwareAddr)
	}
	if err := d.configure(c); err != nil {
		return err
	}
	if err := netlink.LinkSetMTU(d.link, mtu); err != nil {
		return fmt.Errorf("MTU %d: %w", mtu, err)
	}
	if err := leaveApart(d.name); err != nil {
		return err
	}
	if err := netlink.LinkSetTxQLen(d.link, queueLength); err != nil {
		return fmt.Errorf("queue length %d: %w", queueLength, err)
	}
	if err := netlink.LinkSetUp(d.link); err != nil {
		return err
	}
	return d.lead(c)
}

// leaveApart has the kernel not look for packets of a flow in what is written: the worker has
// put them together.
func leaveApart(device string) error {
	if err := ethtool.SetFeatures(device, map[string]bool{"rx-gro": false}); err != nil {
		return fmt.Errorf("generic receive offload off: %w", err)
	}
	return nil
}

// configure has the kernel send nothing of its own into the device, as far as it can: IPv6
// is off where no UE has it, and without addresses of the device's own elsewhere. UEs'
// addresses are no neighbours to check.
func (d *device) configure(c Config) error {
	type setting struct{ family, name, value string }
	all := []setting{{"ipv4", "rp_filter", "0"}, {"ipv6", "disable_ipv6", "1"}}
	if c.hasIPv6() {
		all = append(all[:1], setting{"ipv6", "addr_gen_mode", "1"}, setting{"ipv6", "accept_ra", "0"}, setting{"ipv6", "disable_ipv6", "0"})
	}
	for _, s := range all {
		path := "/proc/sys/net/" + s.family + "/conf/" + d.name + "/" + s.name
		if err := os.WriteFile(path, []byte(s.value), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// lead routes the pools to the device.
func (d *device) lead(c Config) error {
	index := d.link.Attrs().Index
	if c.Ethernet {
		for _, a := range c.nextHops() {
			hop := &netlink.Neigh{LinkIndex: index, State: netlink.NUD_PERMANENT, IP: a.AsSlice(), HardwareAddr: peerMAC()}
			if err := netlink.NeighSet(hop); err != nil {
				return fmt.Errorf("neighbour %v: %w", a, err)
			}
		}
	}
	for _, p := range c.UEPools {
		p = p.Masked()
		r := &netlink.Route{LinkIndex: index, Dst: &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}}
		switch {
		case c.Ethernet && p.Addr().Is6():
			r.Gw, r.Flags = nextHop6.AsSlice(), unix.RTNH_F_ONLINK
		case p.Addr().Is4(): // with a next hop the kernel redirects no UE to another one
			r.Gw, r.Flags = nextHop.AsSlice(), unix.RTNH_F_ONLINK
		}
		if err := netlink.RouteAdd(r); err != nil {
			return fmt.Errorf("route %v: %w: `ip route show %v` shows what is in the way", p, err, p)
		}
	}
	return nil
}

func (d *device) close() error {
	var errs []error
	for _, q := range d.queues {
		errs = append(errs, q.close())
	}
	d.queues = nil
	return errors.Join(errs...)
}
