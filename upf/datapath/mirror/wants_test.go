package mirror

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
)

func packet(source, destination string, payload ...byte) []byte {
	s, d := netip.MustParseAddr(source).As4(), netip.MustParseAddr(destination).As4()
	b := []byte{0x45, 0, 0, byte(20 + 8 + len(payload)), 0, 0, 0, 0, 64, 17, 0, 0}
	b = append(append(b, s[:]...), d[:]...)
	return append(append(b, 0x08, 0x68, 0x08, 0x68, 0, byte(8+len(payload)), 0, 0), payload...)
}

func frame(ip []byte) []byte { return append(make([]byte, 14), ip...) }

func gpdu(teid uint32, inner []byte) []byte {
	return append(gtpu.AppendGPDUHeader(nil, teid, nil, len(inner)), inner...)
}

// TestWants: a session's packets are known at each of the four places, others' are not,
// and nothing that is cut short panics.
func TestWants(t *testing.T) {
	const upf, gnb, host, ue, other = "192.0.2.1", "192.0.2.2", "198.51.100.1", "10.45.0.1", "10.45.0.2"
	x := &capture{Config: Config{N3Address: netip.MustParseAddr(upf),
		Of: []datapath.WatchKey{{TEID: 7}, datapath.WatchUE(netip.MustParseAddr(ue))}}}
	for _, c := range []struct {
		name       string
		frame      []byte
		out        bool
		n3, wanted bool
	}{
		{"N3 in", frame(packet(gnb, upf, gpdu(7, packet(ue, host))...)), false, true, true},
		{"N3 in, another tunnel", frame(packet(gnb, upf, gpdu(8, packet(ue, host))...)), false, true, false},
		{"N3 out", frame(packet(upf, gnb, gpdu(9, packet(host, ue))...)), true, true, true},
		{"N3 out, another UE", frame(packet(upf, gnb, gpdu(9, packet(host, other))...)), true, true, false},
		{"N6 in", frame(packet(host, ue)), false, false, true},
		{"N6 in, another UE", frame(packet(host, other)), false, false, false},
		{"N6 out", frame(packet(ue, host)), true, false, true},
		{"N6 out, another UE", frame(packet(other, host)), true, false, false},
	} {
		if n3, wanted := x.wants(c.frame, c.out); n3 != c.n3 || wanted != c.wanted {
			t.Errorf("%s: N3 %v, wanted %v", c.name, n3, wanted)
		}
		for n := range c.frame {
			x.wants(c.frame[:n], c.out)
		}
	}
}
