package netns

import (
	"maps"
	"slices"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// Provide implements site.Site: it gives the UPF what it needs, in the order of the fields.
func (t *Testbed) Provide(n site.Needs) error {
	if err := t.claim.AddHugePages(n.HugePages); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(n.Sysctls)) {
		if err := t.upf.Sysctl(key, n.Sysctls[key]); err != nil {
			return err
		}
	}
	if err := t.suppressKernel(t.takenFromKernel(n)...); err != nil {
		return err
	}
	return makeDevices(t.upf, n)
}

// takenFromKernel are the ports whose frames the kernel's own protocols must not get.
func (t *Testbed) takenFromKernel(n site.Needs) (ports []netdev.Port) {
	if n.SilentKernel {
		ports = append(ports, t.links.UPFN3, t.links.UPFN6)
	}
	if n.SilentN4 {
		ports = append(ports, t.links.UPFN4)
	}
	return ports
}

func makeDevices(ns *netdev.Namespace, n site.Needs) error {
	for _, d := range n.Tuns {
		if _, err := ns.AddTun(d); err != nil {
			return err
		}
	}
	for _, v := range n.VRFs {
		if err := ns.AddVRF(v); err != nil {
			return err
		}
	}
	for _, x := range n.Neighbours {
		if err := ns.AddNeighbour(x); err != nil {
			return err
		}
	}
	for _, r := range n.Routes {
		if err := ns.AddRoute(r); err != nil {
			return err
		}
	}
	return nil
}
