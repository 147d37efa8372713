package datanet

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
)

// guard lets UEs reach the machine's networks and not the machine: by link-local addresses clouds
// give away credentials (169.254.169.254), and on loopback services trust whoever asks.
type guard struct {
	dial  dialer
	allow []netip.Prefix // lead there all the same
	own   func() ([]net.Addr, error)
}

// connect opens a connection, or refuses to.
func (g guard) connect(ctx context.Context, network, address string) (net.Conn, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	if why := g.refuses(to.Addr().Unmap()); why != "" {
		return nil, fmt.Errorf("%s is %s: UEs are not led there", to.Addr(), why)
	}
	return g.dial(ctx, network, address)
}

// refuses says what is wrong with an address; "": nothing.
func (g guard) refuses(a netip.Addr) string {
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
