package site

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Needs is what a UPF wants of its surroundings beyond what every testbed has.
// A driver asks for it by Provide before it starts its programs.
type Needs struct {
	// HugePages of the machine's default size (2 MiB on x86), for the whole
	// machine has one pool: what is not free is added, and given back at the end.
	HugePages int
	// Sysctls of the UPF's network namespace, by their path below /proc/sys/net:
	// "ipv4/conf/all/arp_ignore".
	Sysctls map[string]string
	// SilentKernel is for a UPF that takes frames by packet sockets: the kernel, which
	// sees the same frames, must neither forward nor answer them.
	SilentKernel bool
	// SilentN4 is the same for N4: for a UPF in a kernel of its own, whose N4 is there.
	SilentN4   bool
	Tuns       []Tun
	VRFs       []VRF
	Routes     []Route
	Neighbours []Neighbour
}

// Route leads packets; one of Via and Device may be missing.
type Route struct {
	To     netip.Prefix
	Via    netip.Addr
	Device string
	OnLink bool // Via is reached by Device, whatever addresses say
	Table  int  // 0: main
}

// Neighbour is a permanent one.
type Neighbour struct {
	Device string
	IP     netip.Addr
	MAC    net.HardwareAddr
}

// Provide gives the UPF what it needs, in the order of the fields. All of it goes
// with the testbed, also when upflab is killed.
func (t *Testbed) Provide(n Needs) error {
	if err := t.hugePages(n.HugePages); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(n.Sysctls)) {
		if err := t.UPF.Sysctl(key, n.Sysctls[key]); err != nil {
			return err
		}
	}
	if n.SilentKernel {
		if err := t.silence(t.UPFN3, t.UPFN6); err != nil {
			return err
		}
	}
	if n.SilentN4 {
		if err := t.silence(t.UPFN4); err != nil {
			return err
		}
	}
	for _, d := range n.Tuns {
		if _, err := t.UPF.AddTun(d); err != nil {
			return err
		}
	}
	for _, v := range n.VRFs {
		if err := t.UPF.AddVRF(v); err != nil {
			return err
		}
	}
	return t.UPF.lead(n.Routes, n.Neighbours)
}

func (n *Namespace) lead(routes []Route, neighbours []Neighbour) error {
	for _, x := range neighbours {
		if err := n.AddNeighbour(x); err != nil {
			return err
		}
	}
	for _, r := range routes {
		if err := n.AddRoute(r); err != nil {
			return err
		}
	}
	return nil
}

// Sysctl sets a key below /proc/sys/net in the namespace.
func (n *Namespace) Sysctl(key, value string) error {
	path := filepath.Join("/proc/sys/net", key)
	err := n.Do(func() error { return os.WriteFile(path, []byte(value), 0) })
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("set %s to %s in %s: %w: this kernel has no such setting", path, value, n.Name, err)
	}
	if err != nil {
		return fmt.Errorf("set %s to %s in %s: %w", path, value, n.Name, err)
	}
	return nil
}

// AddRoute adds a route, or replaces one to the same destination.
func (n *Namespace) AddRoute(r Route) error {
	route := &netlink.Route{Dst: ipNet(r.To), Table: r.Table}
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

// AddNeighbour adds a permanent neighbour, or replaces the entry for its address.
func (n *Namespace) AddNeighbour(x Neighbour) error {
	link, err := n.nl.LinkByName(x.Device)
	if err != nil {
		return fmt.Errorf("set neighbour %s on %s in %s: %w", x.IP, x.Device, n.Name, err)
	}
	p := Port{NS: n, Name: x.Device, Index: link.Attrs().Index}
	return p.neighbour(x.IP, x.MAC)
}
