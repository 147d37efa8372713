package n4

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/session"
)

// TestN6Tunnels: outer headers of UDP/IP and of IP, as the rules have them.
func TestN6Tunnels(t *testing.T) {
	four, six := netip.MustParseAddr("203.0.113.1"), netip.MustParseAddr("2001:db8:77::1")
	for name, want := range map[string]session.OuterHeader{
		"exit-udp4": {Kind: session.UDPv4, Peer: four, Port: 5000},
		"exit-udp6": {Kind: session.UDPv6, Peer: six, Port: 5001},
		"exit-ip4":  {Kind: session.IPv4, Peer: four},
		"exit-ip6":  {Kind: session.IPv6, Peer: six},
	} {
		b := newBench(t, nil)
		b.play("setup", name)
		r := b.rules()
		if got := *r.FindFAR(1).Outer; got != want {
			t.Errorf("%s: created is %+v, want %+v", name, got, want)
		}
		if p := r.FindPDR(2); !p.RemoveOuterHeader || p.Removal != want.Kind {
			t.Errorf("%s: removed is %v, want %v", name, p.Removal, want.Kind)
		}
		if at := b.sessions.Remotes.All(); len(at) != 1 || at[0] != netip.MustParseAddr("192.0.2.1") {
			t.Errorf("%s: GTP-U peers are %v, want the gNB alone", name, at)
		}
		b.play("exit-change")
		if len(b.ended) != 0 {
			t.Errorf("%s: End Markers to %v", name, b.ended)
		}
		b.play("delete")
	}
}

// TestN6TunnelsAreRefused where they make no sense.
func TestN6TunnelsAreRefused(t *testing.T) {
	for _, name := range []string{"exit-no-port", "exit-two", "exit-vlan", "exit-access", "exit-removal-7"} {
		newBench(t, nil).play("setup", name)
	}
}
