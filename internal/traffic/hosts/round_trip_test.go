package hosts

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// foreignClock has a host read a clock of its own, which is wrong by as much as is said.
func foreignClock(kernel string, wrong time.Duration) func() Reading {
	return func() Reading {
		r := readClock()
		r.Kernel = kernel
		r.Monotonic += uint64(wrong)
		return r
	}
}

// TestRoundTrip: where hosts have clocks of their own some packets come back. How long that
// takes does not depend on the clocks, which bend the one-way delay.
func TestRoundTrip(t *testing.T) {
	l := newLab(t)
	const wrong = 400 * time.Millisecond
	l.parts["a"].clock = foreignClock("a", 0)
	l.parts["b"].clock = foreignClock("b", 0)
	l.parts["d"].clock = foreignClock("d", -wrong) // the sink's clock is ahead by so much
	s := l.open(t)
	e, err := s.Engine(t.Context(), Config{Flows: l.flows(), OneGNB: true, Settle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if s.OneClock() {
		t.Fatal("the hosts have one clock")
	}
	for i, q := range []traffic.Sequence{nil, traffic.Only(downlink, 0), bothWays} {
		o := whole(t, e, schedule(q))
		var r traffic.RoundTrips
		for i := range o.Flows {
			r.Merge(&o.Flows[i].RoundTrips)
		}
		back := &r.Returns
		t.Logf("%d went back, %d came, p50 %d us, at the far host %d ns", r.Turned, back.Count,
			back.Quantile(0.5)/1000, r.StayNS/max(r.Turned, 1))
		if least := o.Sent / 16 / 4; r.Turned < least || back.Count < r.Turned*9/10 || back.Count > r.Turned {
			t.Errorf("of %d packets %d went back and %d came, want %d or more", o.Sent, r.Turned, back.Count, least)
		}
		if back.Min == 0 || back.Min > uint64(wrong)/2 { // the least, since a busy machine holds most packets up
			t.Errorf("a round trip takes %d ns at least, p50 %d", back.Min, back.Quantile(0.5))
		}
		if i == 0 && o.Flows[uplink].Latency.Min < uint64(wrong)/2 {
			t.Errorf("one way takes %d ns at least by clocks that differ", o.Flows[uplink].Latency.Min)
		}
	}
	burst := schedule(nil)
	burst.Burst = true
	if o := whole(t, e, burst); o.Flows[uplink].RoundTrips.Turned > 0 {
		t.Error("packets of a burst go back")
	}
}

func TestBackEvery(t *testing.T) {
	for pps, want := range map[float64]uint32{0: backAtMax, 0.5: 16, 1000: 16, 8000: 16, 8500: 32, 100_000: 256, 1e6: 2048} {
		if got := backEvery(pps); got != want {
			t.Errorf("at %g packets/s one in %d, want %d", pps, got, want)
		}
	}
}
