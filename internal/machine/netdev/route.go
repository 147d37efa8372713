package netdev

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Route leads packets; one of Via and Device may be missing.
type Route struct {
	To     netip.Prefix
	Via    netip.Addr
	Device string
	OnLink bool // Via is reached by Device, whatever addresses say
	Table  int  // 0: main
	MTU    int  // of packets that take it, octets; 0: the device's
}

// Neighbour is a permanent one.
type Neighbour struct {
	Device string
	IP     netip.Addr
	MAC    net.HardwareAddr
}

// AddRoute adds a route, or replaces one to the same destination.
func (n *Namespace) AddRoute(r Route) error {
	route := &netlink.Route{Dst: ipNet(r.To), Table: r.Table, MTU: r.MTU}
	if r.Via.IsValid() {
		route.Gw = r.Via.AsSlice()
	}
	if r.OnLink {
		route.Flags = unix.RTNH_F_ONLINK
	}
	if r.Device != "" {
		link, err := n.nl.LinkByName(r.Device)
		if err != nil {
			return fmt.Errorf("route %s to %s in %s: %w", r.To, r.Device, n.Name, err)
		}
		route.LinkIndex = link.Attrs().Index
	}
	if err := n.nl.RouteReplace(route); err != nil {
		return fmt.Errorf("route %s via %s %s in %s: %w", r.To, r.Via, r.Device, n.Name, err)
	}
	return nil
}

// PortToward is the port by which packets to an address leave.
func (n *Namespace) PortToward(to netip.Addr) (Port, error) {
	routes, err := n.nl.RouteGet(to.AsSlice())
	if err != nil || len(routes) == 0 {
		return Port{}, fmt.Errorf("find the route to %s in %s: %w", to, n.Name, errors.Join(err, unix.ENETUNREACH))
	}
	link, err := n.nl.LinkByIndex(routes[0].LinkIndex)
	if err != nil {
		return Port{}, fmt.Errorf("find the device of the route to %s in %s: %w", to, n.Name, err)
	}
	a := link.Attrs()
	return Port{NS: n, Name: a.Name, Index: a.Index, MAC: a.HardwareAddr}, nil
}

// DropRoute removes a route; one that is gone is no error.
func (n *Namespace) DropRoute(r Route) error {
	err := n.nl.RouteDel(&netlink.Route{Dst: ipNet(r.To), Table: r.Table})
	if err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("remove route %s in %s: %w", r.To, n.Name, err)
	}
	return nil
}

// AddNeighbour adds a permanent neighbour, or replaces the entry for its address.
func (n *Namespace) AddNeighbour(x Neighbour) error {
	link, err := n.nl.LinkByName(x.Device)
	if err != nil {
		return fmt.Errorf("set neighbour %s on %s in %s: %w", x.IP, x.Device, n.Name, err)
	}
	p := Port{NS: n, Name: x.Device, Index: link.Attrs().Index}
	return p.neighbour(x.IP, x.MAC)
}

// RouteVia adds a route by a gateway.
func (n *Namespace) RouteVia(dst netip.Prefix, via netip.Addr) error {
	r := &netlink.Route{Dst: ipNet(dst), Gw: via.AsSlice()}
	if err := n.nl.RouteReplace(r); err != nil {
		return fmt.Errorf("route %s via %s in %s: %w", dst, via, n.Name, err)
	}
	return nil
}

// Blackhole drops what no other route takes.
func (n *Namespace) Blackhole(dst netip.Prefix) error {
	const last = 1 << 30 // metric: the higher, the later
	r := &netlink.Route{Dst: ipNet(dst), Type: unix.RTN_BLACKHOLE, Priority: last}
	if err := n.nl.RouteReplace(r); err != nil {
		return fmt.Errorf("route %s nowhere in %s: %w", dst, n.Name, err)
	}
	return nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Masked().Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
