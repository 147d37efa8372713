package afpacket

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// The pacer's slots are the schedule's, to the last of a second.
func TestPacerFollowsTheSchedule(t *testing.T) {
	onOff, err := traffic.OnOff(100e3, 10*time.Millisecond, 40*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]traffic.Arrivals{
		"constant": nil, "Poisson": traffic.Poisson(1), "bursts": traffic.Bursts(32), "on/off": onOff,
	} {
		for _, pps := range []float64{1, 1000, 150e3, 960e3} {
			s := traffic.Schedule{PPS: pps, Arrivals: a}
			p := pacer{gap: s.Gap(), arrivals: a, slots: min(s.Slots(time.Second), 20_000), start: 7}
			var n uint64
			for ; !p.done(); n++ {
				want := 7 + uint64(s.Span(n))
				if got := p.due(); got > want+1+n/1000 || got+1+n/1000 < want {
					t.Fatalf("%s at %g pps: slot %d is due at %d ns, want %d", name, pps, n, got, want)
				}
				p.advance()
			}
			if n == 0 {
				t.Errorf("%s at %g pps has no slot", name, pps)
			}
		}
	}
}

// A gap of over 18 minutes, as bursts at one packet a second have, does not
// overflow.
func TestPacerLongGaps(t *testing.T) {
	s := traffic.Schedule{PPS: 1, Arrivals: traffic.Bursts(4096)}
	p := pacer{gap: s.Gap(), arrivals: s.Arrivals, slots: 4097}
	for range 4096 {
		p.advance()
	}
	if got, want := time.Duration(p.due()), 4096*time.Second; got != want {
		t.Errorf("slot 4096 is due after %v, want %v", got, want)
	}
}
