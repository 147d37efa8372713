package host

import (
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/netdev"
)

// device is one of the host that a run has in one of its namespaces, with what it
// must look like when it comes back.
type device struct {
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

// TakeDevice moves a device of the host into the port's namespace, under the port's
// name. It is written down first, and comes home with ReturnDevices.
func (c *Claim) TakeDevice(name string, port *netdev.Port, mtu int) error {
	home, err := netdev.Current()
	if err != nil {
		return err
	}
	defer home.Release()
	link, d, err := describe(home, name)
	if err != nil {
		return err
	}
	d.As, d.In = port.Name, port.NS.Name
	if err := c.change(func(o *owned) { o.Devices = append(o.Devices, d) }); err != nil {
		return err
	}
	port.Physical, port.MAC = true, link.Attrs().HardwareAddr
	return d.move(link, home, port, mtu)
}

func (d device) move(link netlink.Link, home *netdev.Namespace, port *netdev.Port, mtu int) error {
	nl := home.Netlink()
	if err := errors.Join(nl.LinkSetDown(link), nl.LinkSetNsFd(link, port.NS.FD())); err != nil {
		return fmt.Errorf("move %s into %s: %w", d.Name, port.NS.Name, err)
	}
	nl = port.NS.Netlink()
	link, err := nl.LinkByName(d.Name)
	if err == nil {
		err = errors.Join(nl.LinkSetName(link, port.Name), nl.LinkSetMTU(link, max(mtu, d.MTU)))
	}
	if err != nil {
		return fmt.Errorf("prepare %s with an MTU of %d: %w", d.Name, mtu, err)
	}
	return nil
}

// ReturnDevices brings the host's devices home.
func (c *Claim) ReturnDevices() error {
	var errs []error
	for _, d := range slices.Clone(c.owns.Devices) {
		if err := d.bringHome(); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, c.change(func(o *owned) {
			o.Devices = slices.DeleteFunc(o.Devices, func(x device) bool { return x.Name == d.Name })
		}))
	}
	return errors.Join(errs...)
}

// describe looks at a device and refuses one that the host needs.
func describe(home *netdev.Namespace, name string) (netlink.Link, device, error) {
	d := device{Name: name}
	nl := home.Netlink()
	link, err := nl.LinkByName(name)
	if err != nil {
		return nil, d, fmt.Errorf("find the device %s: %w: `ip link` lists those of this machine", name, err)
	}
	a := link.Attrs()
	if a.MasterIndex != 0 {
		return nil, d, fmt.Errorf("%s belongs to a bridge or bond: take it out first (`ip link set %s nomaster`)", name, name)
	}
	if err := refuseDefaultRoute(home, link); err != nil {
		return nil, d, err
	}
	addrs, err := nl.AddrList(link, netlink.FAMILY_V4)
	if err != nil {
		return nil, d, fmt.Errorf("read the addresses of %s: %w", name, err)
	}
	for _, x := range addrs {
		d.Addresses = append(d.Addresses, x.IPNet.String())
	}
	d.Index, d.MTU, d.Up = a.Index, a.MTU, a.Flags&net.FlagUp != 0
	if d.Home, err = home.Inode(); err != nil {
		return nil, d, err
	}
	d.Features, err = (&netdev.Port{NS: home, Name: name}).Features()
	return link, d, err
}

func refuseDefaultRoute(home *netdev.Namespace, link netlink.Link) error {
	routes, err := home.Netlink().RouteList(link, netlink.FAMILY_V4)
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

// bringHome moves a device back to where it came from. One that is there already,
// or gone for good, is no error.
func (d device) bringHome() error {
	home, err := netdev.Current()
	if err != nil {
		return err
	}
	defer home.Release()
	if inode, err := home.Inode(); err != nil || inode != d.Home {
		return fmt.Errorf("bring %s home: it came from another network namespace than this one: run `upflab clean` there (%w)", d.Name, errors.Join(err, unix.EXDEV))
	}
	if err := d.leave(home); err != nil {
		return fmt.Errorf("bring %s home from %s: %w", d.Name, d.In, err)
	}
	if err := d.restore(home); err != nil {
		return fmt.Errorf("restore %s: %w", d.Name, err)
	}
	return nil
}

// leave takes the device out of the run's namespace. A device of hardware comes out
// by itself when its namespace is removed, but under our name.
func (d device) leave(home *netdev.Namespace) error {
	in, err := netdev.Named(d.In)
	if err != nil {
		return nil // the namespace is gone
	}
	defer in.Release()
	nl := in.Netlink()
	for _, name := range []string{d.As, d.Name} { // killed before it had our name
		link, err := nl.LinkByName(name)
		if err != nil {
			continue
		}
		return errors.Join(nl.LinkSetDown(link), nl.LinkSetName(link, d.Name), nl.LinkSetNsFd(link, home.FD()))
	}
	return nil
}

// restore gives the device at home back what it had.
func (d device) restore(home *netdev.Namespace) error {
	nl := home.Netlink()
	link, err := nl.LinkByName(d.Name)
	if err != nil {
		if link, err = nl.LinkByName(d.As); err != nil {
			return nil // it was unplugged
		}
		if err := nl.LinkSetName(link, d.Name); err != nil {
			return err
		}
	}
	if link.Attrs().MTU != d.MTU {
		err = nl.LinkSetMTU(link, d.MTU)
	}
	for _, text := range d.Addresses {
		addr, bad := netlink.ParseAddr(text)
		if bad != nil {
			return bad
		}
		if failed := nl.AddrReplace(link, addr); failed != nil {
			err = errors.Join(err, fmt.Errorf("address %s: %w", text, failed))
		}
	}
	p := netdev.Port{NS: home, Name: d.Name}
	err = errors.Join(err, p.SetFeatures(d.Features))
	if d.Up {
		err = errors.Join(err, nl.LinkSetUp(link))
	}
	return err
}
