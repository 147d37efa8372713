package host

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// device is one of the host that a run has in one of its namespaces, with what it
// must look like when it comes back.
type device struct {
	Name  string       `json:"name"` // at home
	As    string       `json:"as"`   // in the namespace
	In    string       `json:"in"`   // the namespace
	Home  uint32       `json:"home"` // inode of the network namespace that it came from
	State netdev.State `json:"state"`
	// Threads are its NAPI threads before the run.
	Threads []thread `json:"threads,omitempty"`
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
	if err := c.add(func(o *owned) { o.Devices = append(o.Devices, d) }); err != nil {
		return err
	}
	port.Physical, port.HomeName, port.MAC = true, name, link.Attrs().HardwareAddr
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
		err = errors.Join(nl.LinkSetName(link, port.Name), nl.LinkSetMTU(link, max(mtu, d.State.MTU)))
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
		errs = append(errs, c.drop(func(o *owned) { o.dropDevice(d.Name) }))
	}
	return errors.Join(errs...)
}

// HasDevice reports whether a device of the host is still in a namespace, which must
// then stay: a device may go with it for good.
func (c *Claim) HasDevice(namespace string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.owns.hasDevice(namespace)
}

// describe looks at a device and refuses one that the host needs, or that would not
// come back as it was.
func describe(home *netdev.Namespace, name string) (netlink.Link, device, error) {
	d := device{Name: name}
	link, err := home.Netlink().LinkByName(name)
	if err != nil {
		return nil, d, fmt.Errorf("find the device %s: %w: `ip link` lists those of this machine", name, err)
	}
	if link.Attrs().MasterIndex != 0 {
		return nil, d, fmt.Errorf("%s belongs to a bridge or bond: take it out first (`ip link set %s nomaster`)", name, name)
	}
	if err := refuseDefaultRoute(home, link); err != nil {
		return nil, d, err
	}
	if err := refuseQdisc(home, link); err != nil {
		return nil, d, err
	}
	if d.Home, err = home.Inode(); err != nil {
		return nil, d, err
	}
	if d.State, err = home.Device(name).Read(); err != nil {
		return nil, d, err
	}
	d.Threads, err = napiThreads(&netdev.Port{NS: home, Name: name})
	return link, d, err
}

func refuseDefaultRoute(home *netdev.Namespace, link netlink.Link) error {
	name := link.Attrs().Name
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		routes, err := home.RoutesOf(link.Attrs().Index, family)
		if err != nil {
			return fmt.Errorf("read the routes of %s: %w", name, err)
		}
		for _, r := range routes {
			if r.Dst == nil || isDefault(r) {
				return fmt.Errorf("%s has a default route of this machine: moving it would cut the machine off; name another", name)
			}
		}
	}
	return nil
}

func isDefault(r netlink.Route) bool {
	ones, _ := r.Dst.Mask.Size()
	return ones == 0 && r.Dst.IP.IsUnspecified()
}

// refuseQdisc refuses a device whose queueing somebody has set up: the kernel forgets
// it when the device moves.
func refuseQdisc(home *netdev.Namespace, link netlink.Link) error {
	list, err := home.Netlink().QdiscList(link)
	if err != nil {
		return fmt.Errorf("read the queueing disciplines of %s: %w", link.Attrs().Name, err)
	}
	for _, q := range list {
		a := q.Attrs()
		if major, _ := netlink.MajorMinor(a.Handle); a.LinkIndex == link.Attrs().Index && major != 0 {
			return fmt.Errorf("%s has the queueing discipline %s, which the kernel would forget: remove it first "+
				"(`tc qdisc del dev %s root`, clsact, or ingress), or name another device",
				link.Attrs().Name, q.Type(), link.Attrs().Name)
		}
	}
	return nil
}

// bringHome moves a device back to where it came from. One that is there already,
// or gone for good, is no error.
func (d device) bringHome() error {
	home, err := netdev.ByInode(d.Home)
	if err != nil {
		return fmt.Errorf("bring %s home from %s: %w: `ip -n %s link set %s name %s netns 1` brings it to "+
			"the first one", d.Name, d.In, err, d.In, d.As, d.Name)
	}
	defer home.Release()
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
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the namespace is gone
	}
	if err != nil {
		return err // the device may be in it: it must not be removed
	}
	defer in.Release()
	nl := in.Netlink()
	for _, name := range []string{d.As, d.Name} { // killed before it had our name
		link, err := nl.LinkByName(name)
		if absent(err) {
			continue
		}
		if err != nil {
			return err
		}
		return errors.Join(nl.LinkSetDown(link), nl.LinkSetName(link, d.Name), nl.LinkSetNsFd(link, home.FD()))
	}
	return nil
}

// absent reports whether a device was looked for and is not there; any other error
// leaves that open.
func absent(err error) bool {
	var none netlink.LinkNotFoundError
	return errors.As(err, &none)
}

// restore gives the device at home back what it had.
func (d device) restore(home *netdev.Namespace) error {
	nl := home.Netlink()
	_, err := nl.LinkByName(d.Name)
	if absent(err) {
		link, err := nl.LinkByName(d.As)
		if absent(err) {
			return nil // it was unplugged
		}
		if err == nil {
			err = nl.LinkSetName(link, d.Name)
		}
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	err = home.Device(d.Name).Write(d.State)
	return errors.Join(err, restoreThreads(&netdev.Port{NS: home, Name: d.Name, HomeName: d.As}, d.Threads))
}
