package deploy

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// network is what a UPF's namespace has.
type network struct {
	Sysctls    []sysctl // that upflab sets
	Devices    []device
	Routes     []route
	Neighbours []neighbour // permanent ones
}

// sysctl is a setting below /proc/sys/net.
type sysctl struct{ Key, Value string }

// device is one of the namespace, but for its loopback.
type device struct {
	Name       string
	Kind       string // "veth", "tun", "tap", "vrf" ...
	MTU        int
	Queue      int // packets
	Table      uint32
	MultiQueue bool
	Addresses  []string // with their prefix
	Master     string
}

type route struct {
	Words  string // as `ip route` takes it
	Device string
	// Default is a route for all that no other takes.
	Default bool
}

type neighbour struct{ Device, IP, MAC string }

// readNetwork reads what there is in a namespace, and these settings.
func readNetwork(ns *netdev.Namespace, settings []string) (n network, err error) {
	if n.Devices, err = devices(ns.Netlink()); err == nil {
		if n.Routes, err = routes(ns.Netlink()); err == nil {
			n.Neighbours, err = neighbours(ns.Netlink())
		}
	}
	if err != nil {
		return n, fmt.Errorf("read what %s has: %w", ns.Name, err)
	}
	n.Sysctls, err = readSysctls(ns, settings)
	return n, err
}

func devices(nl *netlink.Handle) (list []device, err error) {
	links, err := nl.LinkList()
	if err != nil {
		return nil, err
	}
	names := map[int]string{}
	for _, l := range links {
		names[l.Attrs().Index] = l.Attrs().Name
	}
	for _, l := range links {
		a := l.Attrs()
		if a.Flags&net.FlagLoopback != 0 {
			continue
		}
		d := device{Name: a.Name, Kind: l.Type(), MTU: a.MTU, Queue: a.TxQLen, Master: names[a.MasterIndex]}
		switch x := l.(type) {
		case *netlink.Tuntap:
			d.Kind, d.MultiQueue = "tun", x.Flags&netlink.TUNTAP_MULTI_QUEUE != 0
			if x.Mode == netlink.TUNTAP_MODE_TAP {
				d.Kind = "tap"
			}
		case *netlink.Vrf:
			d.Table = x.Table
		}
		addrs, err := nl.AddrList(l, netlink.FAMILY_V4)
		if err != nil {
			return nil, err
		}
		for _, x := range addrs {
			d.Addresses = append(d.Addresses, x.IPNet.String())
		}
		list = append(list, d)
	}
	return list, nil
}

// routes are those that somebody has set: the kernel makes its own again.
func routes(nl *netlink.Handle) (list []route, err error) {
	all, err := nl.RouteListFiltered(netlink.FAMILY_V4, &netlink.Route{}, netlink.RT_FILTER_TABLE) // table 0: every one
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Protocol == unix.RTPROT_KERNEL || r.Table == unix.RT_TABLE_LOCAL {
			continue
		}
		var d route
		if r.LinkIndex > 0 {
			link, err := nl.LinkByIndex(r.LinkIndex)
			if err != nil {
				return nil, err
			}
			d.Device = link.Attrs().Name
		}
		d.Words, d.Default = words(&r, d.Device)
		list = append(list, d)
	}
	return list, nil
}

// words writes a route as `ip route` takes it.
func words(r *netlink.Route, device string) (text string, isDefault bool) {
	var w []string
	if r.Type == unix.RTN_BLACKHOLE {
		w = append(w, "blackhole")
	}
	to := "default"
	if r.Dst != nil && r.Dst.String() != "0.0.0.0/0" {
		to = r.Dst.String()
	}
	w = append(w, to)
	if r.Gw != nil {
		w = append(w, "via", r.Gw.String())
	}
	if device != "" && r.Type != unix.RTN_BLACKHOLE {
		w = append(w, "dev", device)
	}
	if r.Flags&unix.RTNH_F_ONLINK != 0 {
		w = append(w, "onlink")
	}
	for _, x := range []struct {
		name  string
		value int
		usual int
	}{{"metric", r.Priority, 0}, {"mtu", r.MTU, 0}, {"table", r.Table, unix.RT_TABLE_MAIN}} {
		if x.value != x.usual {
			w = append(w, x.name, fmt.Sprint(x.value))
		}
	}
	return strings.Join(w, " "), to == "default" && r.Table == unix.RT_TABLE_MAIN
}

func neighbours(nl *netlink.Handle) (list []neighbour, err error) {
	all, err := nl.NeighList(0, netlink.FAMILY_V4)
	if err != nil {
		return nil, err
	}
	for _, n := range all {
		if n.State&netlink.NUD_PERMANENT == 0 {
			continue
		}
		link, err := nl.LinkByIndex(n.LinkIndex)
		if err != nil {
			return nil, err
		}
		list = append(list, neighbour{link.Attrs().Name, n.IP.String(), n.HardwareAddr.String()})
	}
	return list, nil
}

// readSysctls reads the settings that upflab makes for a UPF, as they are now.
func readSysctls(ns *netdev.Namespace, keys []string) (list []sysctl, err error) {
	err = ns.Do(func() error {
		for _, key := range keys {
			b, err := os.ReadFile(filepath.Join("/proc/sys/net", key))
			if errors.Is(err, os.ErrNotExist) { // no IPv6 in the kernel
				continue
			}
			if err != nil {
				return fmt.Errorf("read a setting of %s: %w", ns.Name, err)
			}
			list = append(list, sysctl{key, strings.TrimSpace(string(b))})
		}
		return nil
	})
	return list, err
}
