package datapath

import (
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/upf/session"
)

// N6Tunnels is the UPF's end of tunnels on N6 (TS 29.244 clauses 8.2.56 and 8.2.64): where
// outer headers of UDP/IP and of IP come from, and what comes in such tunnels goes to. The
// zero value has none.
type N6Tunnels struct {
	Address, Address6 netip.Addr // invalid: none of that family
	Port              uint16     // of those with UDP; 0: none
}

// Any reports whether there are any.
func (n N6Tunnels) Any() bool { return n.Address.IsValid() || n.Address6.IsValid() }

// Validate wants addresses of their families.
func (n N6Tunnels) Validate() error {
	switch {
	case n.Address.IsValid() && !n.Address.Is4():
		return fmt.Errorf("N6 address %v for tunnels is not IPv4: give one that is, or none", n.Address)
	case n.Address6.IsValid() && (!n.Address6.Is6() || n.Address6.Is4In6()):
		return fmt.Errorf("N6 address %v for tunnels is not IPv6: give one that is, or none", n.Address6)
	}
	return nil
}

// Local is the address of a kind's family.
func (n N6Tunnels) Local(kind session.Encapsulation) netip.Addr {
	if kind.IsIPv6() {
		return n.Address6
	}
	return n.Address
}

// Check says why tunnels of a kind cannot be done; nil where they can.
func (n N6Tunnels) Check(kind session.Encapsulation) error {
	switch {
	case !kind.OnN6():
		return nil
	case !n.Local(kind).IsValid() && kind.IsIPv6():
		return fmt.Errorf("outer header %v: the UPF has no IPv6 address for tunnels on N6: set n6.address6 where the datapath can", kind)
	case !n.Local(kind).IsValid():
		return fmt.Errorf("outer header %v: the UPF has no address for tunnels on N6: set n6.address where the datapath can", kind)
	case kind.HasUDP() && n.Port == 0:
		return fmt.Errorf("outer header %v: the UPF has no UDP port for tunnels on N6: set n6.port", kind)
	}
	return nil
}
