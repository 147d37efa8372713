package xdp

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
)

// verdictOf runs a frame of testdata and gives its verdict and why it was dropped.
func (l *lab) verdictOf(t *testing.T, name string) (verdict uint32, reason string) {
	t.Helper()
	in, _ := liveFrame(t, name)
	l.zero(t)
	verdict, _ = l.run(t, name[:2], in)
	c, err := l.dp.Counters()
	must(t, "Counters", err)
	for r := range c.Drops {
		reason = r.String()
	}
	return verdict, reason
}

// TestAllowed opens what is dropped otherwise, each by its own setting.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		frame   string
		allow   Allow
		verdict uint32
	}{
		{"n3 ue to the upf's n6", Allow{Local: []netip.Prefix{netip.MustParsePrefix("198.51.100.1/32")}}, xdpPass},
		{"n3 ue to the upf's n4", Allow{Local: []netip.Prefix{netip.MustParsePrefix("198.51.100.1/32")}}, xdpDrop},
		{"n3 ue to the smf", Allow{Interfaces: []string{"n4"}}, xdpRedirect},
		{"n3 gtp-u in gtp-u", Allow{Nested: true}, xdpRedirect},
		{"n3 plain to the data network", Allow{PlainN3: true}, xdpPass},
		{"n3 plain to the data network", Allow{PlainN6: true}, xdpDrop},
		{"n6 plain to a gnb", Allow{PlainN6: true}, xdpPass},
		{"n6 plain to a gnb", Allow{PlainN3: true}, xdpDrop},
		{"n6 pfcp", Allow{PlainN3: true, PlainN6: true}, xdpDrop},
	} {
		t.Run(c.frame, func(t *testing.T) {
			cfg := labConfig()
			cfg.Allow = c.allow
			l := newLab(t, cfg)
			must(t, "Apply", l.dp.Apply(additions(frameSessions())))
			if got, reason := l.verdictOf(t, c.frame); got != c.verdict {
				t.Errorf("with %+v: verdict %d (%s), want %d", c.allow, got, reason, c.verdict)
			}
		})
	}
}

// TestN4OnOtherInterfaces has N4 share N3's interface, then N6's, then be on
// none: PFCP comes in where N4 is and nowhere else. Without N4 it comes in everywhere.
func TestN4OnOtherInterfaces(t *testing.T) {
	for _, c := range []struct {
		name, device string
		n3, n6       uint32
	}{
		{"with N3", "n3", xdpPass, xdpDrop},
		{"with N6", "n6", xdpDrop, xdpPass},
		{"on neither", "", xdpDrop, xdpDrop},
		{"on any", "any", xdpPass, xdpPass},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := labConfig()
			if cfg.N4.Interface = c.device; c.device == "any" {
				cfg.N4 = N4{}
			}
			l := newLab(t, cfg)
			if got, _ := l.verdictOf(t, "n3 pfcp"); got != c.n3 {
				t.Errorf("PFCP from N3: verdict %d, want %d", got, c.n3)
			}
			if got, _ := l.verdictOf(t, "n6 pfcp"); got != c.n6 {
				t.Errorf("PFCP from N6: verdict %d, want %d", got, c.n6)
			}
		})
	}
}

// TestUEReachesGNB has a UE on a shared interface send to a gNB: IP is routed, as
// both are on one network, but no tunnel can be forged.
func TestSharedInterface(t *testing.T) {
	cfg := labConfig()
	cfg.N6 = cfg.N3
	l := newLab(t, cfg)
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	for name, want := range map[string]string{
		"n3 ue to the upf's n3": datapath.ReasonToUPF.String(), "n3 ue to the upf's n4": datapath.ReasonToUPF.String(),
		"n3 gtp-u in gtp-u": datapath.ReasonNested.String(), "n3 plain as a ue": datapath.ReasonNoTunnel.String(),
		"n3 pfcp": datapath.ReasonPFCP.String(), "n3 psc": datapath.ReasonEgress.String(),
	} {
		if verdict, got := l.verdictOf(t, name); got != want || verdict != xdpDrop {
			t.Errorf("%s: verdict %d, reason %q, want %q", name, verdict, got, want)
		}
	}
}

// TestPlainIPv6 has IPv6 without a tunnel stay on its side, and neighbour
// discovery and what is for the machine arrive.
func TestPlainIPv6(t *testing.T) {
	l := newLab(t, labConfig())
	for _, c := range []struct {
		to   string
		want uint32
	}{
		{"2001:db8:6::2", xdpDrop}, {"2001:db8:3::1", xdpPass}, {"ff02::1:ff00:1", xdpPass}, {"fe80::1", xdpPass},
	} {
		var got uint32
		verdict := func() bool {
			got, _ = l.run(t, "n3", ipv6Frame(c.to))
			return got == c.want
		}
		// The kernel makes an address local some time after it is added.
		if !wait.Until(2*time.Second, 10*time.Millisecond, verdict) {
			t.Errorf("to %s: verdict %d, want %d", c.to, got, c.want)
		}
	}
}

// ipv6Frame is a UDP packet from 2001:db8:3::2, RFC 8200.
func ipv6Frame(to string) []byte {
	frame := []byte{2, 0, 0, 0, 3, 1, 2, 0, 0, 0, 3, 2, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 8, 17, 64}
	frame = append(frame, net.ParseIP("2001:db8:3::2")...)
	frame = append(frame, net.ParseIP(to)...)
	return append(frame, 4, 210, 4, 210, 0, 8, 0, 0)
}
