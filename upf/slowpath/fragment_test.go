package slowpath

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// link is a router behind which everything is.
type link struct{ mtu int }

func (l link) Route(netip.Addr, uint64) (forward.Hop, forward.Verdict) {
	return forward.Hop{MTU: l.mtu}, forward.Forward
}

// TestFragments has the forwarder decide about packets that do not fit: what leaves is what scapy
// fragments.
func TestFragments(t *testing.T) {
	seen := 0
	for _, c := range datapathtest.SlowFrames(t) {
		if len(c.Frames) > 1 { // the kernel puts those together
			continue
		}
		seen++
		f := forward.New(forward.Config{
			N3Address: netip.MustParseAddr("192.0.2.1"), N3Address6: datapathtest.N3Address6, N6: datapathtest.N6Tunnels(),
			UEPools: datapathtest.Pools(), MaxSessions: 100, Routers: [forward.Directions]forward.Router{link{1500}, link{1500}},
		})
		var got [][]byte
		f.OnSlow(func(s datapath.Slow) { got = append(got, fragments(&s)...) })
		for _, r := range c.Sessions() {
			if err := f.Apply([]datapath.Change{{New: r}}); err != nil {
				t.Fatal(err)
			}
		}
		way := forward.Uplink
		if c.At == "n6" {
			way = forward.Downlink
		}
		if d := f.Decide(way, c.Frames[0], 1); d.Verdict != forward.Slow {
			t.Errorf("%s: verdict %d", c.Name, d.Verdict)
			continue
		}
		if len(got) != len(c.Out) {
			t.Errorf("%s: %d packets, want %d", c.Name, len(got), len(c.Out))
			continue
		}
		for i, want := range c.Out {
			if want := want[14:]; !bytes.Equal(blind(got[i]), blind(slices.Clone(want))) {
				t.Errorf("%s: packet %d is\n%x, want\n%x", c.Name, i, got[i], want)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d cases, there are more", seen)
	}
}

// blind takes out of a packet with an outer IPv4 header the identification, which is the sender's choice,
// and the checksum with it.
func blind(ip []byte) []byte {
	upf := []netip.Addr{netip.MustParseAddr("192.0.2.1"), datapathtest.N6Tunnels().Address}
	if ip[0]>>4 == 4 && slices.Contains(upf, netip.AddrFrom4([4]byte(ip[12:16]))) {
		clear(ip[4:6])
		clear(ip[10:12])
	}
	return ip
}

// TestTooSmall: a link that takes no fragment gets none.
func TestTooSmall(t *testing.T) {
	packet := append([]byte{0x45, 0, 0, 60, 0, 1, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2}, make([]byte, 40)...)
	for _, s := range []datapath.Slow{{Packet: packet, MTU: 27}, {Packet: packet, MTU: 20}, {Packet: packet, TPDU: 28, GTPU: true, MTU: 30}} {
		if got := fragments(&s); got != nil {
			t.Errorf("MTU %d: %x", s.MTU, got)
		}
	}
}
