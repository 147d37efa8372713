package packet

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// TestUnwrap takes apart what scapy made of tunnels on N6, and says what is wrong with it.
func TestUnwrap(t *testing.T) {
	ends := datapathtest.N6Tunnels()
	seen := 0
	for _, f := range datapathtest.ExitFrames(t) {
		if f.Program != "n3" || f.Verdict != "redirect" {
			continue
		}
		seen++
		ip := f.Output(t)[14:]
		w := Wrapping{From: ends.Address, To: netip.MustParseAddr("198.51.100.2"),
			UDP: strings.Contains(f.Name, "UDP"), FromPort: ends.Port, ToPort: 5000}
		if ip[0]>>4 == 6 {
			w.From, w.To = ends.Address6, netip.MustParseAddr("2001:db8:6::2")
		}
		inner, why := w.Unwrap(ip)
		if why != "" || len(inner) < 20 || (inner[0]>>4 == 6) != strings.Contains(f.Name, ", ipv6") {
			t.Errorf("%s: %q, %x", f.Name, why, inner)
		}
		if again, why := w.Unwrap(w.Bytes(inner)); why != "" || string(again) != string(inner) {
			t.Errorf("%s: our own: %q, %x", f.Name, why, again)
		}
		other := w
		other.To = other.To.Next()
		if _, why := other.Unwrap(ip); why == "" {
			t.Errorf("%s: goes to %v, too", f.Name, other.To)
		}
		if other = w; w.UDP {
			other.ToPort++
		} else {
			other.UDP = true
		}
		if _, why := other.Unwrap(ip); why == "" {
			t.Errorf("%s: is %+v, too", f.Name, other)
		}
	}
	if seen != 16 {
		t.Errorf("%d frames, want 16", seen)
	}
}
