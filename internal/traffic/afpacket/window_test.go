package afpacket

import (
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/sender"
	"github.com/upflab/upflab/internal/traffic/window"
)

// odd excludes every other window, none excludes none.
func odd(from, _ uint64) bool { return window.ID(from)%2 == 1 }
func none(_, _ uint64) bool   { return false }

// TestWindows: what is kept and what is excluded adds up, and the trial goes on for
// what was excluded.
func TestWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	b := newBench(t)
	const second = time.Second
	for _, c := range []struct {
		story string
		s     traffic.Schedule
		kept  time.Duration
	}{
		{"nothing is excluded", traffic.Schedule{PPS: 10e3, Duration: second, Excluded: none, Most: 3 * second}, second},
		{"both directions", traffic.Schedule{PPS: 10e3, Duration: second, Warmup: 20 * time.Millisecond, Excluded: odd, Most: 3 * second,
			Sequence: traffic.Sequence{{Flow: 0}, {Flow: 1, Shape: 1}}}, second},
		{"Poisson", traffic.Schedule{PPS: 10e3, Duration: second, Excluded: odd, Most: 3 * second, Arrivals: traffic.Poisson(1)}, second},
		{"slow", traffic.Schedule{PPS: 30, Duration: second, Excluded: odd, Most: 3 * second}, second},
		{"unpaced", traffic.Schedule{Duration: second, Excluded: odd, Most: 3 * second}, second},
		{"at most", traffic.Schedule{PPS: 10e3, Duration: second, Excluded: odd, Most: 6 * second / 5}, 3 * second / 5},
	} {
		t.Run(c.story, func(t *testing.T) { b.windows(t, c.s, c.kept) })
	}
}

// windows tries a schedule until the machine lets it be extended in time.
func (b *bench) windows(t *testing.T, s traffic.Schedule, kept time.Duration) {
	const tolerance = 0.25 // seconds; without an extension it is 0.5 off
	for try := 0; ; try++ {
		lost := b.lost(t)
		o, err := b.engine.Run(t.Context(), s, traffic.Marks{Quiet: func() { lost = b.lost(t) }})
		if err != nil {
			t.Fatal(err)
		}
		b.balancedWindows(t, &o, b.lost(t)-lost)
		seconds := float64(o.Excluded.Of)*window.Width/1e9 - o.Excluded.Seconds
		if math.Abs(seconds-kept.Seconds()) < tolerance {
			return
		}
		t.Logf("%.3f s were kept, want %v: %+v", seconds, kept, o.Excluded)
		if try == 9 {
			t.Fatal("it was never extended by what was excluded")
		}
	}
}

// balancedWindows compares what was kept and excluded with what the rings gave, and with
// what was counted for the whole trial.
func (b *bench) balancedWindows(t *testing.T, o *traffic.Outcome, lost uint64) {
	t.Helper()
	s, x := b.engine.Sources[0].(*sender.Source), &o.Excluded
	excluded, skipped := s.Excluded()
	if all := s.Sent(); o.Sent+x.Sent != all || x.Sent != excluded {
		t.Errorf("%d sent in windows that were kept, %d in those excluded, by the ring %d; %d in all", o.Sent, x.Sent, excluded, all)
	}
	if o.Skipped+x.Skipped != skipped || o.Intended+x.Intended < o.Sent+o.Skipped+x.Sent+x.Skipped {
		t.Errorf("%d and %d slots skipped of %d and %d, %d in all", o.Skipped, x.Skipped, o.Intended, x.Intended, skipped)
	}
	var received uint64
	for i := range o.Flows {
		f := &o.Flows[i]
		if all := b.engine.Sinks[i].Received(); f.Received+x.Received[i] != all {
			t.Errorf("flow %d: %d and %d received, %d in all", i, f.Received, x.Received[i], all)
		}
		if f.Latency.Count != f.Received || f.Actual.Count != f.Received || f.Received > f.Sent {
			t.Errorf("flow %d: %d latencies, %d from the actual time, of %d received, of %d sent", i, f.Latency.Count,
				f.Actual.Count, f.Received, f.Sent)
		}
		received += f.Received
	}
	if o.Sent-received > lost {
		t.Errorf("%d sent and %d received in windows that were kept; %d were lost", o.Sent, received, lost)
	}
}
