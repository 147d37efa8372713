package netdev

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// State is what the kernel forgets, or upflab changes, of a device that moves to
// another namespace.
type State struct {
	MTU       int               `json:"mtu"`
	Up        bool              `json:"up"`
	Threaded  string            `json:"threaded,omitempty"` // of its NAPI, as sysfs shows it
	Addresses []netlink.Addr    `json:"addresses,omitempty"`
	Routes    []netlink.Route   `json:"routes,omitempty"`
	Features  map[string]bool   `json:"features,omitempty"` // offloads, as they were
	Spread    *Spread           `json:"spread,omitempty"`   // over its queues; nil: not known
	Sysctls   map[string]string `json:"sysctls,omitempty"`  // below /proc/sys/net, DEV for the device's name
}

// Device is a device of a namespace, whose state is kept while it is lent.
type Device struct {
	ns   *Namespace
	name string
}

// Device is the one of a name, whether it is there or not.
func (n *Namespace) Device(name string) Device { return Device{n, name} }

// Read reads its state.
func (d Device) Read() (s State, err error) {
	link, err := d.ns.nl.LinkByName(d.name)
	if err != nil {
		return s, fmt.Errorf("look at %s: %w", d.name, err)
	}
	a := link.Attrs()
	s.MTU, s.Up = a.MTU, a.Flags&net.FlagUp != 0
	if s.Addresses, err = d.addresses(link); err != nil {
		return s, fmt.Errorf("read the addresses of %s: %w", d.name, err)
	}
	if s.Routes, err = d.staticRoutes(a.Index); err != nil {
		return s, fmt.Errorf("read the routes of %s: %w", d.name, err)
	}
	if s.Sysctls, err = d.sysctls(); err != nil {
		return s, fmt.Errorf("read the settings of %s: %w", d.name, err)
	}
	p := Port{NS: d.ns, Name: d.name}
	if s.Threaded, err = p.NAPI().threaded(); err != nil {
		return s, err
	}
	spread, err := p.Queues().Spread()
	if err != nil {
		return s, err
	}
	s.Spread = &spread
	s.Features, err = p.Features()
	return s, err
}

// Write gives the device its state back. It goes on after an error.
func (d Device) Write(s State) error {
	link, err := d.ns.nl.LinkByName(d.name)
	if err != nil {
		return fmt.Errorf("look at %s: %w", d.name, err)
	}
	p := Port{NS: d.ns, Name: d.name}
	var errs []error
	if s.Spread != nil {
		errs = append(errs, p.Queues().Restore(*s.Spread))
	}
	if link.Attrs().MTU != s.MTU {
		errs = append(errs, d.ns.nl.LinkSetMTU(link, s.MTU))
	}
	errs = append(errs, p.SetFeatures(s.Features), d.writeSysctls(s.Sysctls))
	for _, a := range s.Addresses {
		errs = append(errs, d.restoreAddress(link, a))
	}
	if s.Up {
		errs = append(errs, d.ns.nl.LinkSetUp(link))
		for _, r := range s.Routes {
			errs = append(errs, d.restoreRoute(link.Attrs().Index, r))
		}
	}
	errs = append(errs, p.NAPI().restoreThreaded(s)) // a veth has NAPI only when it is up
	return errors.Join(errs...)
}

// restoreThreaded writes how the port's NAPI ran. A veth has NAPI only with GRO or an XDP
// program: one that has neither any more gets GRO for as long as that takes.
func (n NAPI) restoreThreaded(s State) error {
	err := n.setThreaded(s.Threaded)
	if !errors.Is(err, unix.EOPNOTSUPP) {
		return err
	}
	return errors.Join(n.of.SetGRO(true), n.setThreaded(s.Threaded), n.of.SetFeatures(s.Features))
}

// threaded is "1" when the NAPI of the port runs in threads; "" where the kernel
// cannot.
func (n NAPI) threaded() (value string, err error) {
	err = n.of.NS.doWithSysfs(func() error {
		b, err := os.ReadFile("/sys/class/net/" + n.of.Name + "/threaded")
		if err == nil {
			value = strings.TrimSpace(string(b))
		}
		return nil // a device or a kernel without it
	})
	return value, err
}

func (n NAPI) setThreaded(value string) error {
	if now, err := n.threaded(); err != nil || now == value || value == "" {
		return err
	}
	return n.SetThreaded(value == "1")
}

// conf is where the kernel has settings of each device.
var conf = []string{"ipv4/conf", "ipv6/conf", "ipv4/neigh", "ipv6/neigh"}

func (d Device) sysctls() (map[string]string, error) {
	found := map[string]string{}
	err := d.ns.Do(func() error {
		for _, dir := range conf {
			files, _ := os.ReadDir(filepath.Join("/proc/sys/net", dir, d.name))
			for _, f := range files {
				b, err := os.ReadFile(filepath.Join("/proc/sys/net", dir, d.name, f.Name()))
				if err == nil { // some can only be written, some only with an address
					found[filepath.Join(dir, "DEV", f.Name())] = strings.TrimSpace(string(b))
				}
			}
		}
		return nil
	})
	return found, err
}

// writeSysctls writes the settings that have another value.
func (d Device) writeSysctls(want map[string]string) error {
	now, err := d.sysctls()
	if err != nil {
		return err
	}
	var errs []error
	return errors.Join(d.ns.Do(func() error {
		for key, value := range want {
			if has, ok := now[key]; !ok || has == value {
				continue
			}
			path := filepath.Join("/proc/sys/net", strings.Replace(key, "DEV", d.name, 1))
			if err := os.WriteFile(path, []byte(value), 0); err != nil && !errors.Is(err, os.ErrPermission) {
				errs = append(errs, fmt.Errorf("set %s to %s: %w", path, value, err))
			}
		}
		return nil
	}), errors.Join(errs...))
}
