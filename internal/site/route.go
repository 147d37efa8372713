package site

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// sysctls makes a namespace quiet (no IPv6 chatter) and forwarding.
func sysctls(ns *Namespace) error {
	return ns.Do(func() error {
		for key, value := range map[string]string{
			"ipv6/conf/all/disable_ipv6":     "1",
			"ipv6/conf/default/disable_ipv6": "1",
			"ipv4/ip_forward":                "1",
			"ipv4/conf/all/rp_filter":        "0",
			"ipv4/conf/default/rp_filter":    "0",
			"ipv4/conf/all/send_redirects":   "0",
			"ipv4/conf/all/accept_local":     "1",
		} {
			path := filepath.Join("/proc/sys/net", key)
			err := os.WriteFile(path, []byte(value), 0)
			if err != nil && !os.IsNotExist(err) { // no IPv6 in the kernel: nothing to silence
				return fmt.Errorf("set %s in %s: %w", path, ns.Name, err)
			}
		}
		return nil
	})
}

// routes lets the data network reach the UEs through the UPF and the UPF reach
// everything else through the data network. What a UPF leaves to the kernel for
// a UE that it does not know ends there, or it would go round until its TTL is 0;
// a UPF's own route to the UEs comes before.
func (t *Testbed) routes() error {
	if t.Spec.UEPool.IsValid() {
		if err := t.DN.route(t.Spec.UEPool, t.Spec.N6.UPF); err != nil {
			return err
		}
		if err := t.UPF.blackhole(t.Spec.UEPool); err != nil {
			return err
		}
	}
	return t.UPF.route(netip.MustParsePrefix("0.0.0.0/0"), t.Spec.N6.Tester)
}

func (n *Namespace) route(dst netip.Prefix, via netip.Addr) error {
	r := &netlink.Route{Dst: ipNet(dst), Gw: via.AsSlice()}
	if err := n.nl.RouteReplace(r); err != nil {
		return fmt.Errorf("route %s via %s in %s: %w", dst, via, n.Name, err)
	}
	return nil
}

// blackhole drops what no other route takes.
func (n *Namespace) blackhole(dst netip.Prefix) error {
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
