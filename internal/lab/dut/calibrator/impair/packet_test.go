package impair

import (
	"encoding/hex"
	"testing"
)

// A packet that is ECT gets the mark, and is then the one that scapy makes with CE; one that is not stays as it is.
func TestMarkCE(t *testing.T) {
	for _, c := range []struct {
		name, sent, marked string // IP(tos=)/UDP(), IPv6(tc=)/UDP()
	}{
		{"ECT(1)", "450100200001000040119f5c0a2d0002c0a8109800010002000c337378787878",
			"450300200001000040119f5a0a2d0002c0a8109800010002000c337378787878"},
		{"ECT(0)", "450200200001000040119f5b0a2d0002c0a8109800010002000c337378787878",
			"450300200001000040119f5a0a2d0002c0a8109800010002000c337378787878"},
		{"IPv6, ECT(1)", "601000000009114020010db800450001000000000000000220010db80006000000000000000000020035003500092bb078",
			"603000000009114020010db800450001000000000000000220010db80006000000000000000000020035003500092bb078"},
		{"Not-ECT", "450000200001000040119f5d0a2d0002c0a8109800010002000c337378787878", ""},
	} {
		inner, err := hex.DecodeString(c.sent)
		if err != nil {
			t.Fatal(err)
		}
		p := packet{buffer: append(make([]byte, 50), inner...), length: 50 + len(inner), tpdu: len(inner)}
		marked := p.markCE()
		got := hex.EncodeToString(p.buffer[50:])
		if want := c.marked; marked != (want != "") || marked && got != want || !marked && got != c.sent {
			t.Errorf("%s: %v, %s; want %s", c.name, marked, got, want)
		}
	}
}
