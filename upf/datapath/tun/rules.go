package tun

import (
	"errors"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// rules are the routing rules that keep the kernel from routing what comes in by N3 or N6
// past all sessions. What is for the machine itself is looked up before. With rules of any
// kind the kernel looks up each packet's route in several tables, so they are only there
// where a classifier cannot be.
type rules struct {
	kernel *netlink.Handle
	list   []*netlink.Rule
}

const (
	// ruleProtocol marks our rules: those of a UPF that was killed are found by it.
	ruleProtocol = 0x75
	// The rules' priorities: behind that of local addresses, before all others.
	priorityPool = 1
	priorityEnd  = 2

	actionBlackhole = 6 // FR_ACT_BLACKHOLE of linux/fib_rules.h
)

// openRules removes the rules that another UPF left for N3 and N6.
func openRules(c Config) (*rules, error) {
	kernel, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	x := &rules{kernel: kernel}
	for _, name := range []string{c.N3, c.N6} {
		if err := x.removeStale(name); err != nil {
			return nil, errors.Join(fmt.Errorf("remove old routing rules for %s: %w", name, err), x.Close())
		}
	}
	return x, nil
}

// endAll adds the rules for the interfaces that are not to be routed from.
func (x *rules) endAll(c Config) error {
	for name, end := range map[string]bool{c.N3: !c.PlainN3, c.N6: !c.PlainN6 && (c.N3 != c.N6 || !c.PlainN3)} {
		if !end {
			continue
		}
		if err := x.end(c, name); err != nil {
			return fmt.Errorf("keep the kernel from routing what comes in by %s: %w", name, err)
		}
	}
	return nil
}

func (x *rules) end(c Config, name string) error {
	if name == c.N6 {
		for _, p := range c.UEPools {
			p = p.Masked()
			to := &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
			family := unix.AF_INET
			if p.Addr().Is6() {
				family = unix.AF_INET6
			}
			if err := x.add(name, family, priorityPool, to); err != nil {
				return err
			}
		}
	}
	if err := x.add(name, unix.AF_INET, priorityEnd, nil); err != nil {
		return err
	}
	if err := x.add(name, unix.AF_INET6, priorityEnd, nil); err != nil && !errors.Is(err, unix.EAFNOSUPPORT) &&
		!errors.Is(err, unix.EOPNOTSUPP) {
		return err
	}
	return nil
}

// add adds a rule: what comes in is routed as ever when it is for a pool, and nowhere
// else.
func (x *rules) add(from string, family, priority int, to *net.IPNet) error {
	r := netlink.NewRule()
	r.IifName, r.Family, r.Priority, r.Protocol, r.Dst = from, family, priority, ruleProtocol, to
	r.Type = actionBlackhole
	if to != nil {
		r.Type, r.Table = unix.RTN_UNICAST, unix.RT_TABLE_MAIN
	}
	if err := x.kernel.RuleAdd(r); err != nil {
		return err
	}
	x.list = append(x.list, r)
	return nil
}

// removeStale removes the rules of a UPF that did not do so itself.
func (x *rules) removeStale(name string) error {
	for _, family := range []int{unix.AF_INET, unix.AF_INET6} {
		list, err := x.kernel.RuleList(family)
		if err != nil {
			continue // there is none of that family
		}
		for i := range list {
			r := &list[i]
			if r.Protocol != ruleProtocol || r.IifName != name {
				continue
			}
			r.Family = family
			if err := x.kernel.RuleDel(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close removes what was added.
func (x *rules) Close() error {
	var errs []error
	for _, r := range x.list {
		if err := x.kernel.RuleDel(r); err != nil && !errors.Is(err, unix.ENOENT) {
			errs = append(errs, fmt.Errorf("remove a routing rule: %w", err))
		}
	}
	x.list = nil
	x.kernel.Close()
	return errors.Join(errs...)
}
