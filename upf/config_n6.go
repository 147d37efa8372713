package upf

import (
	"net/netip"

	"github.com/upflab/upflab/gtpu"
)

// n6 reads the interface, and where tunnels end there.
func (c *checker) n6(f *file) N6 {
	n := N6{Interface: c.name("n6.interface", f.N6.Interface), Address6: c.ipv6("n6.address6", f.N6.Address6)}
	if f.N6.Address != "" {
		n.Address = c.ipv4("n6.address", f.N6.Address)
	}
	n.Port = uint16(c.number("n6.port", f.N6.Port, 0, 1, 65535))
	switch {
	case n.Port != 0 && f.N6.Address+f.N6.Address6 == "":
		c.bad("n6.port", "is of tunnels on N6: give n6.address or n6.address6, too")
	case n.Port == gtpu.Port:
		c.bad("n6.port", "%d is GTP-U's: give another", gtpu.Port)
	}
	c.notUE("n6.address", f.N6.Address, f)
	c.notUE("n6.address6", f.N6.Address6, f)
	return n
}

// notUE wants an address outside the pools: packets to UEs are not for the UPF.
func (c *checker) notUE(key, value string, f *file) {
	a, err := netip.ParseAddr(value)
	if err != nil {
		return
	}
	for _, text := range f.UEPool {
		if p, err := netip.ParsePrefix(text); err == nil && p.Contains(a) {
			c.bad(key, "%v is in ue_pool's %v: give an address that no UE has", a, p)
		}
	}
}
