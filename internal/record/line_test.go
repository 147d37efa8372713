package record

import (
	"math"
	"testing"
)

// TestLineRates: the frames/s of RFC 5180 appendix A.1 and RFC 2544 clause 9.1's sizes, which
// have the FCS in them.
func TestLineRates(t *testing.T) {
	for _, c := range []struct {
		bitsPerS uint64
		size     int // with FCS
		pps      float64
	}{
		{10e6, 64, 14_880}, {100e6, 64, 148_809}, {1e9, 64, 1_488_095}, {10e9, 64, 14_880_952},
		{1e9, 128, 844_594}, {1e9, 256, 452_898}, {1e9, 512, 234_962}, {1e9, 1024, 119_731}, {1e9, 1280, 96_153}, {10e9, 1518, 812_743},
		{10e9, 46, 14_880_952}, // padded
	} {
		l := NewLine("n3", Uplink, c.bitsPerS, c.size-4, 1)
		if math.Floor(l.PPS) != c.pps {
			t.Errorf("%d octets at %d bits/s: %.1f packets/s, want %.0f", c.size, c.bitsPerS, l.PPS, c.pps)
		}
	}
	// 1526 octets of 0.8 ns each
	if l := NewLine("n3", Uplink, 10e9, 1514, 1); math.Abs(l.SerialisationNS-1220.8) > 0.01 {
		t.Errorf("1518 octets at 10 Gbit/s take %.2f ns", l.SerialisationNS)
	}
}

// TestLineRateOfTrial: the slower line bounds it; of both directions each has its part.
func TestLineRateOfTrial(t *testing.T) {
	up := Trial{Direction: Uplink, Lines: []Line{{PPS: 800e3, Share: 1}, {PPS: 900e3, Share: 1}}}
	both := Trial{Direction: Both, Lines: []Line{{PPS: 800e3, Share: 0.5}, {PPS: 900e3, Share: 0.5}, {PPS: 300e3, Share: 0.1}}}
	if got := up.LineRatePPS(); got != 800e3 {
		t.Errorf("uplink: %.0f", got)
	}
	if got := both.LineRatePPS(); got != 1600e3 {
		t.Errorf("both: %.0f", got)
	}
	if got := new(Trial).LineRatePPS(); got != 0 {
		t.Errorf("no line: %.0f", got)
	}
}
