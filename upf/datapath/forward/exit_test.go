package forward

import (
	"bytes"
	"errors"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/session"
)

// withExits is a forwarder with tunnels on N6.
func withExits(t testing.TB) *Forwarder {
	t.Helper()
	f := forwarderFor(t)
	f.n6 = datapathtest.N6Tunnels()
	for _, r := range datapathtest.ExitSessions() {
		if err := f.Apply([]datapath.Change{{New: r}}); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// TestExitFrames has tunnels on N6: scapy's frames, each by Write and by WriteHead.
func TestExitFrames(t *testing.T) {
	for _, c := range datapathtest.ExitFrames(t) {
		f := withExits(t)
		sent, v := f.one(way(c), c.Input(t))
		checkFrame(t, c, sent, v)
		checkCounted(t, f, v)
		f = withExits(t)
		if d := f.Decide(way(c), c.Input(t), 1); d.Verdict == Forward {
			if whole := append(f.WriteHead(nil, &d), d.TPDU...); !bytes.Equal(whole, c.Output(t)) {
				t.Errorf("%s: in two pieces\n%x, want\n%s", c.Name, whole, c.Out)
			}
		}
	}
}

// TestExitIsRefused where N6 has no address, or no port, for a tunnel.
func TestExitIsRefused(t *testing.T) {
	whole := datapathtest.N6Tunnels()
	for _, c := range []struct {
		story string
		n6    datapath.N6Tunnels
		kind  session.Encapsulation
		taken bool
	}{
		{"nothing", datapath.N6Tunnels{}, session.IPv4, false},
		{"no IPv4", datapath.N6Tunnels{Address6: whole.Address6, Port: 1}, session.UDPv4, false},
		{"no IPv6", datapath.N6Tunnels{Address: whole.Address, Port: 1}, session.IPv6, false},
		{"no port", datapath.N6Tunnels{Address: whole.Address, Address6: whole.Address6}, session.UDPv6, false},
		{"no port, IP in IP", datapath.N6Tunnels{Address: whole.Address}, session.IPv4, true},
	} {
		f := forwarderFor(t)
		f.n6 = c.n6
		for _, only := range []string{"creation", "removal"} {
			r := datapathtest.ExitSession(c.kind)
			if only == "creation" {
				r.PDRs[1].RemoveOuterHeader, r.PDRs[1].Removal = false, session.GTPU
			} else {
				r.FARs[0].Outer, r.FARs[0].Marking = nil, 0
			}
			var rule *session.RuleError
			err := f.Apply([]datapath.Change{{New: r}})
			if c.taken != (err == nil) || err != nil && !errors.As(err, &rule) {
				t.Errorf("%s, %s: Apply: %v", c.story, only, err)
			}
			if err == nil {
				_ = f.Apply([]datapath.Change{{Old: r}})
			}
		}
	}
}

// TestResolverByTunnel: a packet that came by a tunnel on N6 and was held goes where its PDR
// sends it.
func TestResolverByTunnel(t *testing.T) {
	r := datapathtest.ExitSession(session.UDPv6)
	by, err := NewResolver(r)
	if err != nil {
		t.Fatal(err)
	}
	tpdu := make([]byte, 20)
	copy(tpdu, []byte{0: 0x45, 3: 20, 8: 64, 9: 0, 10: 0x44, 11: 0x86, 12: 198, 13: 51, 14: 100, 15: 2, 16: 10, 17: 45, 18: 2, 19: 2})
	for _, pdr := range []uint16{0, 2} {
		to, _, ok := by.Resolve(0, datapath.Held{PDR: pdr, TPDU: tpdu})
		if !ok || to == nil || to.TEID != r.FARs[1].Outer.TEID {
			t.Errorf("PDR %d: %+v, %v", pdr, to, ok)
		}
	}
}

// TestFramedFrames has networks behind UEs: scapy's frames, and nothing is left of the sessions.
func TestFramedFrames(t *testing.T) {
	f := forwarderFor(t)
	for _, r := range datapathtest.FramedSessions() {
		if err := f.Apply([]datapath.Change{{New: r}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range datapathtest.FramedFrames(t) {
		f.id = 0
		sent, v := f.one(way(c), c.Input(t))
		checkFrame(t, c, sent, v)
	}
	for _, r := range datapathtest.FramedSessions() {
		if err := f.Apply([]datapath.Change{{Old: r}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range datapathtest.FramedFrames(t) {
		if _, v := f.one(way(c), c.Input(t)); v == Forward {
			t.Errorf("%s: forwarded without a session", c.Name)
		}
	}
}
