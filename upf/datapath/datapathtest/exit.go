package datapathtest

import (
	_ "embed"
	"fmt"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

//go:embed testdata/exit.txt
var exitFrames string

// ExitFrames are the frames of tunnels on N6 that testdata/exit.py made, as those of
// OuterFrames.
func ExitFrames(t testing.TB) []Frame {
	t.Helper()
	return framesOf(exitFrames)
}

// N6Tunnels is the UPF's end in them.
func N6Tunnels() datapath.N6Tunnels {
	return datapath.N6Tunnels{Address: netip.MustParseAddr("198.51.100.1"), Address6: netip.MustParseAddr("2001:db8:6::1"), Port: 4000}
}

// ExitSessions are their sessions: one for each kind of tunnel, and one without.
func ExitSessions() []*session.Rules {
	all := []*session.Rules{pair(299, "10.45.2.9", 299, nil)}
	for _, kind := range []session.Encapsulation{session.UDPv4, session.UDPv6, session.IPv4, session.IPv6} {
		all = append(all, ExitSession(kind))
	}
	return all
}

// ExitSession is the one of a kind.
func ExitSession(kind session.Encapsulation) *session.Rules {
	n := int(kind)
	return pair(uint64(200+n), fmt.Sprintf("10.45.2.%d", n), uint32(200+2*n), func(r *session.Rules) {
		with6(fmt.Sprintf("2001:db8:45:%d::/64", 60+n))(r)
		o := &session.OuterHeader{Kind: kind, Peer: netip.MustParseAddr("198.51.100.2")}
		if kind.IsIPv6() {
			o.Peer = netip.MustParseAddr("2001:db8:6::2")
		}
		if kind.HasUDP() {
			o.Port = 5000
		}
		r.FARs[0].Outer = o
		if kind == session.UDPv4 || kind == session.IPv6 {
			r.FARs[0].Marking = 0xb8
		}
		r.PDRs[1].RemoveOuterHeader, r.PDRs[1].Removal = true, kind
	})
}
