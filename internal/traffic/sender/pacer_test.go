package sender

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
				p.advance(p.due())
			}
			if n == 0 {
				t.Errorf("%s at %g pps has no slot", name, pps)
			}
		}
	}
}

// Further rounds of a table are those of the schedule, too.
func TestPacerReshuffles(t *testing.T) {
	s := traffic.Schedule{PPS: 960e3, Arrivals: traffic.Poisson(2), Reshuffle: true}
	p := pacer{gap: s.Gap(), arrivals: s.Arrivals, shuffles: true, slots: 4 * traffic.MaxArrivals}
	for n := uint64(0); !p.done(); n++ {
		if n%9973 == 0 {
			want := uint64(s.Span(n))
			if got := p.due(); got > want+1+n/1000 || got+1+n/1000 < want {
				t.Fatalf("slot %d is due at %d ns, want %d", n, got, want)
			}
		}
		p.advance(p.due())
	}
}

// A gap of over 18 minutes, as bursts at one packet a second have, does not
// overflow.
func TestPacerLongGaps(t *testing.T) {
	s := traffic.Schedule{PPS: 1, Arrivals: traffic.Bursts(4096)}
	p := pacer{gap: s.Gap(), arrivals: s.Arrivals, slots: 4097}
	for range 4096 {
		p.advance(p.due())
	}
	if got, want := time.Duration(p.due()), 4096*time.Second; got != want {
		t.Errorf("slot 4096 is due after %v, want %v", got, want)
	}
}

// After a stall late slots come at twice the rate, but for a few at once.
func TestPacerCatchesUp(t *testing.T) {
	const us = 1000
	s := traffic.Schedule{PPS: 100e3} // a slot each 10 us
	p := pacer{gap: s.Gap(), slots: 10_000, start: 10_000 * us}
	now := p.start + 5000*us // 500 are late
	caughtUp, most := uint64(0), 0
	for ; now < p.start+20_000*us; now += us {
		n := 0
		for ; p.ready(now); n++ {
			p.advance(now)
		}
		if most = max(most, n); p.due() > now && caughtUp == 0 {
			caughtUp = now - p.start
		}
	}
	if most > together+2 {
		t.Errorf("%d slots were sent at once, at most %d should be", most, together+2)
	}
	if caughtUp < 9_300*us || caughtUp > 9_800*us {
		t.Errorf("caught up %d us after the start, want 2 x 5 ms less what is sent at once", caughtUp/us)
	}
	if want := s.Slots(20 * time.Millisecond); p.slot != want {
		t.Errorf("sent %d slots, want %d: none is skipped", p.slot, want)
	}
}
