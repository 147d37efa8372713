package datanet

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"
)

// guard lets UEs reach the machine's networks and not the machine: by link-local addresses clouds
// give away credentials (169.254.169.254), and on loopback services trust whoever asks.
type guard struct {
	dial  dialer
	allow []netip.Prefix // lead there all the same
	own   func() ([]net.Addr, error)
	route func(network string, to netip.AddrPort) (kind uint8, err error) // routeKind, for the machine
}

// connect opens a connection, or refuses to.
func (g guard) connect(ctx context.Context, network, address string) (net.Conn, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
	if why := g.refuses(network, to); why != "" {
		return nil, fmt.Errorf("%s is %s: UEs are not led there", to.Addr(), why)
	}
	return g.dial(ctx, network, address)
}

// refuses says what is wrong with an address; "": nothing.
func (g guard) refuses(network string, to netip.AddrPort) string {
	a := to.Addr()
	this := netip.MustParsePrefix("0.0.0.0/8") // "this network" (RFC 1122 3.2.1.3), to which Linux answers itself
	switch {
	case slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(a) }):
		return ""
	case a.IsLoopback(), this.Contains(a):
		return "loopback"
	case a.IsLinkLocalUnicast():
		return "link-local"
	case a.IsMulticast(), a == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return "for many"
	}
	if why := g.isOwn(a); why != "" {
		return why
	}
	kind, err := g.route(network, to)
	switch {
	case err != nil:
		return "not reached by this machine, or not known to be another machine's (" + err.Error() + ")"
	case kind == unix.RTN_UNICAST:
		return ""
	case kind == unix.RTN_LOCAL:
		return "this machine's own"
	}
	return "for many" // or refused by a route that says so
}

// isOwn looks at the addresses of the machine's interfaces. Those in a VRF are not found by a
// route: that to the VRF's table is another.
func (g guard) isOwn(a netip.Addr) string {
	addresses, err := g.own() // asked each time: they change
	if err != nil {
		return "not known to be another machine's"
	}
	for _, own := range addresses {
		p, err := netip.ParsePrefix(own.String())
		switch {
		case err != nil:
		case p.Addr() == a:
			return "this machine's own"
		case p.Addr().Is4() && p.Bits() < 31 && a == broadcast(p):
			return "for many"
		}
	}
	return ""
}

// broadcast is the last address of an IPv4 prefix.
func broadcast(p netip.Prefix) netip.Addr {
	b := p.Addr().As4()
	for bit := p.Bits(); bit < 32; bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	return netip.AddrFrom4(b)
}
