package behaviour

import (
	"fmt"
	"math/bits"
	"net/netip"
	"strings"

	"github.com/upflab/upflab/internal/scenario"
)

// Fixture is what a case may use. Each attempt has new UEs. What a case takes of it and the lab does
// not have, or could not prove, is noted: nothing is held against a UPF then.
type Fixture struct {
	Net
	ues    []*UE
	fresh  func() *UE
	met    *int                  // how many of NewGNBs were used
	doubts map[netip.Addr]string // addresses that could not be proven, and why
	six    bool                  // its UEs have IPv6
	lacks  string                // what was taken and is not there; "": nothing
}

// GNB is the address of gNB 0, which the scenario names, or of gNB 1.
func (g *Fixture) GNB(n int) netip.Addr { return g.take(g.Net.GNB[n], "a second gNB") }

// NewGNB is the address of a gNB that the UPF has no neighbour entry of.
func (g *Fixture) NewGNB() netip.Addr {
	if *g.met >= len(g.NewGNBs) {
		return g.take(netip.Addr{}, "a gNB that the UPF has not spoken to")
	}
	*g.met++
	return g.NewGNBs[*g.met-1]
}

// DN is the address of host 0 or 1 of the data network.
func (g *Fixture) DN(n int) netip.Addr {
	if g.six {
		return g.dn6(n)
	}
	return g.take(g.Net.DN[n], "a second host of the data network")
}

// dn6 is the address of host 0 or 1 with IPv6, which are in one /64.
func (g *Fixture) dn6(n int) netip.Addr {
	host := g.take(g.Six.DN, "a host of the data network with IPv6")
	if n == 0 {
		return host
	}
	return host.Next()
}

// peer is the host that packets of a UE's address go to where the case does not say.
func (g *Fixture) peer(ue netip.Addr) netip.Addr {
	if ue.Is4() {
		return g.DN(0)
	}
	return g.dn6(0)
}

// Host is another host of the data network, from 0, that downlink packets come from.
func (g *Fixture) Host(n int) netip.Addr {
	if n >= len(g.Hosts) {
		return g.take(netip.Addr{}, fmt.Sprintf("%d hosts of the data network", n+3))
	}
	return g.take(g.Hosts[n], "another host of the data network")
}

// take notes an address that is not there.
func (g *Fixture) take(a netip.Addr, what string) netip.Addr {
	if why := g.doubts[a]; why != "" {
		g.lacks = fmt.Sprintf("it needs %s: %s", what, why)
	}
	if a.IsValid() {
		return a
	}
	g.lacks = "it needs " + what + ", for which there is no address"
	for _, why := range g.Lacks {
		if strings.HasPrefix(why, what) {
			g.lacks = "it needs " + why
		}
	}
	return netip.AddrFrom4([4]byte{192, 0, 2, 255}) // the steps are made, and not run
}

// Around is the shortest prefix of host 0 that does not hold host 1.
func (g *Fixture) Around() netip.Prefix {
	a, b := g.DN(0).AsSlice(), g.DN(1).AsSlice()
	for i := range a {
		if a[i] != b[i] {
			return netip.PrefixFrom(g.DN(0), 8*i+bits.LeadingZeros8(a[i]^b[i])+1).Masked()
		}
	}
	return netip.PrefixFrom(g.DN(0), 8*len(a))
}

// UE is the case's n-th, from 0.
func (g *Fixture) UE(n int) *UE {
	if room := g.Room(); n >= room {
		g.lacks = fmt.Sprintf("it needs %d UEs, and ue.pool %s has room for %d from ue.first %s on", n+1, g.UEs.Pool, room, g.UEs.First)
	}
	for len(g.ues) <= n {
		u := g.fresh()
		u.Index = len(g.ues)
		g.ues = append(g.ues, u)
	}
	return g.ues[n]
}

// Room is how many UEs have addresses.
func (n *Net) Room() int { return n.UEs.Room() }

// fixture gives a case new UEs, of its family.
func (b *Bench) fixture(c *Case) *Fixture {
	g := b.fixtureOf(b.Lab.Net())
	if g.six = c.Family == scenario.FamilyIPv6; g.six {
		fresh := g.fresh
		g.fresh = func() *UE {
			u := fresh()
			u.Addr, u.Second = u.Addr6, netip.Addr{}
			return u
		}
	}
	return g
}

func (b *Bench) fixtureOf(net Net) *Fixture {
	return &Fixture{Net: net, fresh: func() *UE { return b.freshUE(net) }, met: &b.met, doubts: b.doubts}
}

// freshUE counts through the pool, and begins again at its end.
func (b *Bench) freshUE(net Net) *UE {
	n := b.ue % uint32(net.Room())
	b.ue++
	u := &UE{TEID: 0x1000 + b.ue, Tunnel: 0x40000 + b.ue, N3: net.UPF, GNB: net.GNB[0]}
	u.Addr, u.Second = net.UEs.Of(int(n))
	u.Addr6 = addr6(b.ue)
	return u
}
