package site

import (
	"errors"
	"fmt"
	"net"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// moved is a device of the host that a run has in one of its namespaces, with what
// it must look like when it comes back.
type moved struct {
	Name      string          `json:"name"`  // at home
	As        string          `json:"as"`    // in the namespace
	In        string          `json:"in"`    // the namespace
	Home      uint32          `json:"home"`  // inode of the network namespace that it came from
	Index     int             `json:"index"` // at home
	MTU       int             `json:"mtu"`
	Up        bool            `json:"up"`
	Addresses []string        `json:"addresses,omitempty"` // with prefix length
	Features  map[string]bool `json:"features,omitempty"`  // offloads, as they were
}

// physical moves the devices of both ends.
func (l *link) physical(s linkSpec) error {
	for _, end := range []struct {
		port   *Port
		device string
	}{{&l.upf, s.device}, {&l.tester, s.testerDevice}} {
		if err := end.port.take(s, end.device); err != nil {
			return err
		}
	}
	return nil
}

// take moves a device of the host into the port's namespace, under the port's name.
// It is written down first.
func (p *Port) take(s linkSpec, device string) error {
	host, err := hostNamespace()
	if err != nil {
		return err
	}
	defer host.close()
	link, m, err := host.describe(device, s.mtu)
	if err != nil {
		return err
	}
	m.As, m.In = p.Name, p.NS.Name
	if err := s.claim.addDevice(m); err != nil {
		return err
	}
	p.physical, p.MAC = true, link.Attrs().HardwareAddr
	if err := errors.Join(host.nl.LinkSetDown(link), host.nl.LinkSetNsFd(link, int(p.NS.ns))); err != nil {
		return fmt.Errorf("move %s into %s: %w", device, p.NS.Name, err)
	}
	if link, err = p.NS.nl.LinkByName(device); err == nil {
		err = errors.Join(p.NS.nl.LinkSetName(link, p.Name), p.NS.nl.LinkSetMTU(link, max(s.mtu, m.MTU)))
	}
	if err != nil {
		return fmt.Errorf("prepare %s with an MTU of %d: %w", device, s.mtu, err)
	}
	return nil
}

// describe looks at a device and refuses one that the host needs.
func (n *Namespace) describe(device string, mtu int) (netlink.Link, moved, error) {
	m := moved{Name: device, MTU: mtu}
	link, err := n.nl.LinkByName(device)
	if err != nil {
		return nil, m, fmt.Errorf("find the device %s: %w: `ip link` lists those of this machine", device, err)
	}
	a := link.Attrs()
	if a.MasterIndex != 0 {
		return nil, m, fmt.Errorf("%s belongs to a bridge or bond: take it out first (`ip link set %s nomaster`)", device, device)
	}
	if err := n.spare(link); err != nil {
		return nil, m, err
	}
	addrs, err := n.nl.AddrList(link, netlink.FAMILY_V4)
	if err != nil {
		return nil, m, fmt.Errorf("read the addresses of %s: %w", device, err)
	}
	for _, x := range addrs {
		m.Addresses = append(m.Addresses, x.IPNet.String())
	}
	m.Index, m.MTU, m.Up = a.Index, a.MTU, a.Flags&net.FlagUp != 0
	if m.Home, err = n.Inode(); err != nil {
		return nil, m, err
	}
	m.Features, err = (&Port{NS: n, Name: device}).features()
	return link, m, err
}

// spare refuses the device of the default route.
func (n *Namespace) spare(link netlink.Link) error {
	routes, err := n.nl.RouteList(link, netlink.FAMILY_V4)
	if err != nil {
		return fmt.Errorf("read the routes of %s: %w", link.Attrs().Name, err)
	}
	for _, r := range routes {
		if r.Dst == nil || r.Dst.IP.IsUnspecified() {
			return fmt.Errorf("%s has the default route of this machine: moving it would cut the machine off; name another", link.Attrs().Name)
		}
	}
	return nil
}

// features are the offloads that we change, as they are.
func (p *Port) features() (map[string]bool, error) {
	now := map[string]bool{}
	err := p.ethtool(func(e *ethtool.Ethtool) error {
		have, err := e.Features(p.Name)
		for name := range offloads {
			if on, ok := have[name]; ok {
				now[name] = on
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read offloads of %s: %w", p.Name, err)
	}
	return now, nil
}

// bringHome moves a device back to where it came from. One that is there already,
// or gone for good, is no error.
func (m moved) bringHome() error {
	host, err := hostNamespace()
	if err != nil {
		return err
	}
	defer host.close()
	if inode, err := host.Inode(); err != nil || inode != m.Home {
		return fmt.Errorf("bring %s home: it came from another network namespace than this one: run `upflab clean` there (%w)", m.Name, errors.Join(err, unix.EXDEV))
	}
	if err := m.leave(host); err != nil {
		return fmt.Errorf("bring %s home from %s: %w", m.Name, m.In, err)
	}
	if err := m.restore(host); err != nil {
		return fmt.Errorf("restore %s: %w", m.Name, err)
	}
	return nil
}

// leave takes the device out of the run's namespace. A device of hardware comes out
// by itself when its namespace is removed, but under our name.
func (m moved) leave(host *Namespace) error {
	fd, err := netns.GetFromName(m.In)
	if err != nil {
		return nil // the namespace is gone
	}
	defer fd.Close()
	nl, err := netlink.NewHandleAt(fd)
	if err != nil {
		return err
	}
	defer nl.Close()
	for _, name := range []string{m.As, m.Name} { // killed before it had our name
		link, err := nl.LinkByName(name)
		if err != nil {
			continue
		}
		err = errors.Join(nl.LinkSetDown(link), nl.LinkSetName(link, m.Name), nl.LinkSetNsFd(link, int(host.ns)))
		return err
	}
	return nil
}

// restore gives the device at home back what it had.
func (m moved) restore(host *Namespace) error {
	link, err := host.nl.LinkByName(m.Name)
	if err != nil {
		if link, err = host.nl.LinkByName(m.As); err != nil {
			return nil // it was unplugged
		}
		if err := host.nl.LinkSetName(link, m.Name); err != nil {
			return err
		}
	}
	if link.Attrs().MTU != m.MTU {
		err = host.nl.LinkSetMTU(link, m.MTU)
	}
	for _, text := range m.Addresses {
		addr, bad := netlink.ParseAddr(text)
		if bad != nil {
			return bad
		}
		if failed := host.nl.AddrReplace(link, addr); failed != nil {
			err = errors.Join(err, fmt.Errorf("address %s: %w", text, failed))
		}
	}
	p := Port{NS: host, Name: m.Name}
	err = errors.Join(err, p.ethtool(func(e *ethtool.Ethtool) error { return e.Change(m.Name, m.Features) }))
	if m.Up {
		err = errors.Join(err, host.nl.LinkSetUp(link))
	}
	return err
}
