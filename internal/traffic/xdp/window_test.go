package xdp

import (
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// odd excludes every other window, none excludes none.
func odd(from, _ uint64) bool { return window.ID(from)%2 == 1 }
func none(_, _ uint64) bool   { return false }

// TestWindows: what is kept and what is excluded adds up to what the programs counted
// for the whole trial, and the trial goes on for what was excluded.
func TestWindows(t *testing.T) {
	b := newBench(t)
	const second = time.Second
	for _, c := range []struct {
		story string
		s     traffic.Schedule
		kept  time.Duration
	}{
		{"nothing is excluded", traffic.Schedule{PPS: 50e3, Duration: second, Excluded: none, Most: 3 * second}, second},
		{"downlink", traffic.Schedule{PPS: 50e3, Duration: second, Excluded: odd, Most: 3 * second, Sequence: traffic.Only(1, 0)}, second},
		{"both directions", traffic.Schedule{PPS: 50e3, Duration: second, Warmup: 20 * time.Millisecond, Excluded: odd, Most: 3 * second,
			Sequence: traffic.Sequence{{Flow: 0}, {Flow: 1}}}, second},
		{"Poisson", traffic.Schedule{PPS: 50e3, Duration: second, Excluded: odd, Most: 3 * second, Arrivals: traffic.Poisson(1)}, second},
		{"unpaced", traffic.Schedule{Duration: second, Excluded: odd, Most: 3 * second}, second},
		{"at most", traffic.Schedule{PPS: 50e3, Duration: second, Excluded: odd, Most: 6 * second / 5}, 3 * second / 5},
		{"never extended", traffic.Schedule{PPS: 50e3, Duration: second, Excluded: odd}, second / 2},
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
		lost = b.lost(t) - lost
		b.balancedWindows(t, &o, lost)
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
// what the programs counted for the whole trial.
func (b *bench) balancedWindows(t *testing.T, o *traffic.Outcome, lost uint64) {
	t.Helper()
	s, x := b.engine.sources[0], &o.Excluded
	p := s.current.Load().progress()
	// What nobody folded in time has no slot in the rings, neither here nor at the sinks.
	if ring := s.windows.excluded.Sent; o.Sent+x.Sent != p.Sent || x.Sent < ring || x.Sent > ring && b.uncounted(t) == 0 {
		t.Errorf("%d sent in windows that were kept, %d in those excluded, by the ring %d; %d in all", o.Sent, x.Sent,
			s.windows.excluded.Sent, p.Sent)
	}
	if o.Skipped+x.Skipped != p.Skipped || o.Intended+x.Intended < o.Sent+o.Skipped+x.Sent+x.Skipped {
		t.Errorf("%d and %d slots skipped of %d and %d, %d in all", o.Skipped, x.Skipped, o.Intended, x.Intended, p.Skipped)
	}
	if s.control.Gap != 0 && o.Lateness.Count != o.Sent {
		t.Errorf("%d values of lateness, %d were sent", o.Lateness.Count, o.Sent)
	}
	var received uint64
	for i := range o.Flows {
		b.balancedFlow(t, i, o)
		received += o.Flows[i].Received
	}
	if received > o.Sent || o.Sent-received > lost {
		t.Errorf("%d sent and %d received in windows that were kept; %d were lost", o.Sent, received, lost)
	}
}

// uncounted is how many packets the sinks received in windows whose slots were taken.
func (b *bench) uncounted(t *testing.T) (n uint64) {
	t.Helper()
	for _, k := range b.engine.Sinks {
		all, err := k.(*sink).totals()
		if err != nil {
			t.Fatal(err)
		}
		n += all.Uncounted
	}
	return n
}

func (b *bench) balancedFlow(t *testing.T, i int, o *traffic.Outcome) {
	t.Helper()
	k, f := b.engine.Sinks[i].(*sink), &o.Flows[i]
	all, err := k.totals()
	if err != nil {
		t.Fatal(err)
	}
	excluded := o.Excluded.Received[i]
	if f.Received+excluded != all.Rx || excluded != k.windows.excluded.Received+all.Uncounted {
		t.Errorf("flow %d: %d received in windows that were kept, %d in those excluded, by the ring %d and %d; %d in all",
			i, f.Received, excluded, k.windows.excluded.Received, all.Uncounted, all.Rx)
	}
	var live traffic.Histogram
	if err := k.AddLatency(&live); err != nil || live.Count != all.Rx-all.Uncounted {
		t.Errorf("flow %d: %d latencies to watch, %d received: %v", i, live.Count, all.Rx-all.Uncounted, err)
	}
	right(t, f)
	if f.Jitter.Count > f.Received || f.IPDV.Count > f.Received || f.Received > 0 && f.Latency.Sum < f.Actual.Sum {
		t.Errorf("flow %d: %d received, %d estimates of jitter, %d delay variations; latencies of %d ns in all, from the actual time %d",
			i, f.Received, f.Jitter.Count, f.IPDV.Count, f.Latency.Sum, f.Actual.Sum)
	}
	if was := b.engine.sources[0].flows[i]; f.SentBytes != f.Sent*uint64(was.FrameBytes(was.Streams[0], 0)) ||
		f.ReceivedBytes != f.Received*uint64(was.RxFrameBytes(was.Streams[0], 0)) {
		t.Errorf("flow %d: %d sent of %d octets, %d received of %d", i, f.Sent, f.SentBytes, f.Received, f.ReceivedBytes)
	}
}

// TestWindowsOnAndOff: a trial after one with windows has none, and all of its figures.
func TestWindowsOnAndOff(t *testing.T) {
	b := newBench(t)
	for _, excluded := range []func(from, to uint64) bool{none, nil, odd, nil} {
		o := b.sends(t, traffic.Schedule{PPS: 10e3, Duration: 100 * time.Millisecond, Excluded: excluded})
		if windows := o.Excluded.Of > 0; windows != (excluded != nil) || windows && o.Excluded.Of < 24 {
			t.Errorf("%d windows", o.Excluded.Of)
		}
		f := &o.Flows[0]
		right(t, f)
		if f.IPDV.Count == 0 || f.Jitter.Count == 0 || o.Lateness.Count != o.Sent {
			t.Errorf("%d received, %d delay variations, %d estimates of jitter; %d values of lateness of %d sent",
				f.Received, f.IPDV.Count, f.Jitter.Count, o.Lateness.Count, o.Sent)
		}
	}
	if o := b.sends(t, traffic.Schedule{PPS: 10e3, Duration: 100 * time.Millisecond, Excluded: none, Burst: true}); o.Excluded.Of != 0 {
		t.Errorf("a burst has %d windows", o.Excluded.Of)
	}
}

// sends tries a schedule until the machine lets a good part of it be sent.
func (b *bench) sends(t *testing.T, s traffic.Schedule) traffic.Outcome {
	t.Helper()
	for try := 0; ; try++ {
		o, err := b.engine.Run(t.Context(), s, traffic.Marks{})
		if err != nil {
			t.Fatal(err)
		}
		if o.Flows[0].Received > 100 {
			return o
		}
		if try == 9 {
			t.Fatalf("%d of %d were sent, %d skipped", o.Sent, o.Intended, o.Skipped)
		}
	}
}

// TestSkips: after a long stall the slots that are late by then are skipped, whichever
// shapes they were to send, and what comes after them is on time.
func TestSkips(t *testing.T) {
	shapes := []traffic.Shape{{Payload: 64, SourcePort: 1, DestinationPort: 2}, {Payload: 300, SourcePort: 3, DestinationPort: 4}}
	b := newBench(t, shapes...)
	const stall = 160 * time.Millisecond
	for _, s := range []traffic.Schedule{
		{},
		{Arrivals: traffic.Poisson(2)},
		{Sequence: traffic.Sequence{{}, {Shape: 1}, {Flow: 1}}},
	} {
		s.PPS, s.Duration, s.Excluded = 100e3, 450*time.Millisecond, none
		o := b.engine.runLate(t, s, stall)
		x := &o.Excluded // of windows that nobody folded in time
		intended, sent, skipped := o.Intended+x.Intended, o.Sent+x.Sent, o.Skipped+x.Skipped
		if intended != 45_000 || sent+skipped != intended {
			t.Errorf("%d sent and %d skipped of %d; %+v", sent, skipped, intended, *x)
		}
		if least := uint64(s.PPS * (stall - startLead).Seconds() * 0.95); skipped < least {
			t.Errorf("%d slots skipped, want at least %d", skipped, least)
		}
		if latest := time.Duration(o.Lateness.Max); latest > time.Millisecond {
			t.Errorf("a slot was sent %v late", latest)
		}
	}
}
