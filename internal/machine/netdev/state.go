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

// ReadState reads the state of a device of the namespace.
func (n *Namespace) ReadState(device string) (s State, err error) {
	link, err := n.nl.LinkByName(device)
	if err != nil {
		return s, fmt.Errorf("look at %s: %w", device, err)
	}
	a := link.Attrs()
	s.MTU, s.Up = a.MTU, a.Flags&net.FlagUp != 0
	if s.Addresses, err = n.addresses(link); err != nil {
		return s, fmt.Errorf("read the addresses of %s: %w", device, err)
	}
	if s.Routes, err = n.staticRoutes(a.Index); err != nil {
		return s, fmt.Errorf("read the routes of %s: %w", device, err)
	}
	if s.Sysctls, err = n.deviceSysctls(device); err != nil {
		return s, fmt.Errorf("read the settings of %s: %w", device, err)
	}
	p := Port{NS: n, Name: device}
	if s.Threaded, err = p.threaded(); err != nil {
		return s, err
	}
	spread, err := p.Spread()
	if err != nil {
		return s, err
	}
	s.Spread = &spread
	s.Features, err = p.Features()
	return s, err
}

// WriteState gives a device its state back. It goes on after an error.
func (n *Namespace) WriteState(device string, s State) error {
	link, err := n.nl.LinkByName(device)
	if err != nil {
		return fmt.Errorf("look at %s: %w", device, err)
	}
	p := Port{NS: n, Name: device}
	var errs []error
	if s.Spread != nil {
		errs = append(errs, p.RestoreSpread(*s.Spread))
	}
	if link.Attrs().MTU != s.MTU {
		errs = append(errs, n.nl.LinkSetMTU(link, s.MTU))
	}
	errs = append(errs, p.SetFeatures(s.Features), n.writeSysctls(device, s.Sysctls))
	for _, a := range s.Addresses {
		errs = append(errs, n.restoreAddress(link, a))
	}
	if s.Up {
		errs = append(errs, n.nl.LinkSetUp(link))
		for _, r := range s.Routes {
			errs = append(errs, n.restoreRoute(link.Attrs().Index, r))
		}
	}
	errs = append(errs, p.restoreThreaded(s)) // a veth has NAPI only when it is up
	return errors.Join(errs...)
}

// restoreThreaded writes how the port's NAPI ran. A veth has NAPI only with GRO or an XDP
// program: one that has neither any more gets GRO for as long as that takes.
func (p *Port) restoreThreaded(s State) error {
	err := p.setThreaded(s.Threaded)
	if !errors.Is(err, unix.EOPNOTSUPP) {
		return err
	}
	return errors.Join(p.SetGRO(true), p.setThreaded(s.Threaded), p.SetFeatures(s.Features))
}

// threaded is "1" when the NAPI of the port runs in threads; "" where the kernel
// cannot.
func (p *Port) threaded() (value string, err error) {
	err = p.NS.doWithSysfs(func() error {
		b, err := os.ReadFile("/sys/class/net/" + p.Name + "/threaded")
		if err == nil {
			value = strings.TrimSpace(string(b))
		}
		return nil // a device or a kernel without it
	})
	return value, err
}

func (p *Port) setThreaded(value string) error {
	if now, err := p.threaded(); err != nil || now == value || value == "" {
		return err
	}
	return p.SetThreaded(value == "1")
}

// conf is where the kernel has settings of each device.
var conf = []string{"ipv4/conf", "ipv6/conf", "ipv4/neigh", "ipv6/neigh"}

func (n *Namespace) deviceSysctls(device string) (map[string]string, error) {
	found := map[string]string{}
	err := n.Do(func() error {
		for _, dir := range conf {
			files, _ := os.ReadDir(filepath.Join("/proc/sys/net", dir, device))
			for _, f := range files {
				b, err := os.ReadFile(filepath.Join("/proc/sys/net", dir, device, f.Name()))
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
func (n *Namespace) writeSysctls(device string, want map[string]string) error {
	now, err := n.deviceSysctls(device)
	if err != nil {
		return err
	}
	var errs []error
	return errors.Join(n.Do(func() error {
		for key, value := range want {
			if has, ok := now[key]; !ok || has == value {
				continue
			}
			path := filepath.Join("/proc/sys/net", strings.Replace(key, "DEV", device, 1))
			if err := os.WriteFile(path, []byte(value), 0); err != nil && !errors.Is(err, os.ErrPermission) {
				errs = append(errs, fmt.Errorf("set %s to %s: %w", path, value, err))
			}
		}
		return nil
	}), errors.Join(errs...))
}
