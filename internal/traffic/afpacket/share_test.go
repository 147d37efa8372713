package afpacket

import (
	"runtime"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// TestSeveralSources: each slot of a schedule is sent, or skipped, by one of three sources;
// what arrives of each session is in order, and numbered without holes.
func TestSeveralSources(t *testing.T) {
	b := newBench(t, 1%runtime.NumCPU(), 0)
	none := func(_, _ uint64) bool { return false }
	for _, c := range []struct {
		story    string
		sequence traffic.Sequence
		arrivals traffic.Arrivals
	}{
		{"uplink", nil, nil},
		{"a mixture of both", traffic.Sequence{{Shape: 0}, {Shape: 1}, {Flow: 1, Shape: 2}, {Shape: 2}, {Flow: 1, Shape: 1}}, nil},
		{"bursts", nil, traffic.Bursts(50)},
	} {
		t.Run(c.story, func(t *testing.T) {
			before := b.lost(t)
			o, err := b.engine.Run(t.Context(), traffic.Schedule{PPS: 4e3, Duration: 500 * time.Millisecond, Warmup: 20 * time.Millisecond,
				Quiet: 20 * time.Millisecond, Sequence: c.sequence, Arrivals: c.arrivals, Excluded: none},
				traffic.Marks{Quiet: func() { before = b.lost(t) }})
			if err != nil {
				t.Fatal(err)
			}
			b.complete(t, &o, b.lost(t)-before)
		})
	}
	if o := b.run(t, traffic.Schedule{Duration: 100 * time.Millisecond}); o.Sent == 0 {
		t.Error("nothing is sent unpaced")
	}
}

// complete: all slots were sent or skipped, and what was sent arrived or was lost at a ring.
func (b *bench) complete(t *testing.T, o *traffic.Outcome, lost uint64) {
	t.Helper()
	x := &o.Excluded // of windows that nobody folded in time
	sent, skipped, intended := o.Sent+x.Sent, o.Skipped+x.Skipped, o.Intended+x.Intended
	if intended != 2000 || sent+skipped != intended || sent == 0 {
		t.Errorf("%d sent and %d skipped of %d slots, want 2000 in all", sent, skipped, intended)
	}
	var received, runs, numbered uint64
	for i := range o.Flows {
		f := &o.Flows[i]
		received += f.Received
		if len(x.Received) > 0 {
			received += x.Received[i]
		}
		for _, n := range f.SentBySession {
			numbered += n
		}
		for _, r := range f.LossRuns {
			runs += r.Length * r.Count
		}
		if f.Duplicates+f.Reordered > 0 || len(f.Wrong) > 0 {
			t.Errorf("flow %d: %d copies, %d reordered, wrong %v", i, f.Duplicates, f.Reordered, f.Wrong)
		}
	}
	if received == 0 || numbered != sent || received+lost != sent || runs != lost {
		t.Errorf("%d sent, by session %d; %d received, %d lost, in runs %d", sent, numbered, received, lost, runs)
	}
}
