package traffic

import (
	"testing"
	"time"
)

func TestSlots(t *testing.T) {
	for _, c := range []struct {
		why  string
		pps  float64
		d    time.Duration
		want uint64
	}{
		{"unpaced has no slots", 0, time.Second, 0},
		{"no time, no slot", 1000, 0, 0},
		{"negative time, no slot", 1000, -time.Second, 0},
		{"the first is due at 0", 1000, 1, 1},
		{"the second is due at one gap, which is outside", 1000, time.Millisecond, 1},
		{"just past one gap", 1000, time.Millisecond + 1, 2},
		{"the study's latency trial", 1, 10 * time.Second, 10},
		{"the study's loads", 150e3, 60 * time.Second, 9e6},
		{"a gap that is no whole ns", 960e3, 60 * time.Second, 57.6e6},
		{"a third of a packet a second", 1. / 3, 9 * time.Second, 3},
		{"beyond 78 hours, where ns * 65536 leaves 64 bits", 1000, 100 * time.Hour, 360e6},
	} {
		got := Schedule{PPS: c.pps}.Slots(c.d)
		if !near(got, c.want, 1e-6) {
			t.Errorf("%s: %g pps for %v has %d slots, want %d", c.why, c.pps, c.d, got, c.want)
		}
	}
}

// near allows for a rate whose gap is not a multiple of 1/65536 ns.
func near(got, want uint64, relative float64) bool {
	slack := uint64(float64(want) * relative)
	return got+slack >= want && got <= want+slack
}

// A second at a rate has as many slots as the rate, to a millionth.
func TestGapHoldsTheRate(t *testing.T) {
	for pps := 1.0; pps < 1.6e7; pps *= 1.7 {
		s := Schedule{PPS: pps}
		got := 1e9 * gapFraction / float64(s.Gap())
		if got < pps*(1-1e-6) || got > pps*(1+1e-6) {
			t.Errorf("%g pps comes out as %g", pps, got)
		}
	}
	if !(Schedule{}).Max() || (Schedule{PPS: 1}).Max() {
		t.Error("0 pps, and only that, is unpaced")
	}
}

// A trial of bursts ends with the last of them, and one of constant gaps when its time
// is over.
func TestLasts(t *testing.T) {
	onOff, err := OnOff(1000, 100*time.Millisecond, 900*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why      string
		arrivals Arrivals
		d, want  time.Duration
	}{
		{"constant gaps", nil, 2 * time.Second, 2 * time.Second},
		{"bursts of 512: 2000 packets are three and a part, the fourth due at 1.536 s", Bursts(512), 2 * time.Second, 1537 * time.Millisecond},
		{"on/off: the last packet of the third cycle is due at 2.1 s", onOff, 3 * time.Second, 2101 * time.Millisecond},
	} {
		if got := (Schedule{PPS: 1000, Arrivals: c.arrivals}).Lasts(c.d); (got - c.want).Abs() > 2*time.Millisecond {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
	if got := (Schedule{Arrivals: Bursts(4)}).Lasts(time.Second); got != time.Second {
		t.Errorf("unpaced: %v", got)
	}
}
