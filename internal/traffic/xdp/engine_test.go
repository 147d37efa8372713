package xdp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/internal/traffic"
)

// bench is a testbed with a wire in it and an engine of both directions.
type bench struct {
	testbed site.Site
	engine  *Engine
}

// directions are the engine's flows.
var directions = []record.Direction{record.Uplink, record.Downlink}

func newBench(t *testing.T, shapes ...traffic.Shape) *bench {
	t.Helper()
	b := &bench{testbed: sitetest.Build(t)}
	w, err := wire.Open(b.testbed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	c := Config{CPUs: []int{0}, Settle: 50 * time.Millisecond}
	for _, d := range directions {
		send, receive := b.ports(d)
		f := testFlow(d, 1400, traffic.Expect{Encapsulated: d == record.Uplink, Unchanged: true})
		if len(shapes) > 0 {
			f.Shapes = shapes
		}
		c.Paths = append(c.Paths, Path{Flow: f, Send: send, Receive: receive})
	}
	if b.engine, err = Open(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) ports(d record.Direction) (send, receive netdev.Port) {
	if d == record.Uplink {
		return b.testbed.Links().GNB, b.testbed.Links().DNN6
	}
	return b.testbed.Links().DNN6, b.testbed.Links().GNB
}

// lost is what rings on the way have dropped so far, as the drivers count it.
func (b *bench) lost(t *testing.T) (n uint64) {
	t.Helper()
	for _, p := range []netdev.Port{b.testbed.Links().GNB, b.testbed.Links().UPFN3, b.testbed.Links().UPFN6, b.testbed.Links().DNN6} {
		stats, err := p.Stats()
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range stats {
			program := strings.HasSuffix(name, "_xdp_drops") // the sink's own
			if strings.HasSuffix(name, "_xdp_xmit_errors") || strings.HasSuffix(name, "_drops") && !program {
				n += v
			}
		}
	}
	return n
}

func TestEngine(t *testing.T) {
	b := newBench(t)
	for i, d := range directions {
		only := traffic.Only(uint8(i), 0)
		t.Run(string(d), func(t *testing.T) {
			t.Run("paced", func(t *testing.T) { b.paced(t, only) })
			t.Run("unpaced", func(t *testing.T) { b.unpaced(t, only) })
			t.Run("late", func(t *testing.T) { b.late(t, only) })
			t.Run("waits", func(t *testing.T) { b.waits(t, only) })
			t.Run("cancelled", func(t *testing.T) { b.cancelled(t, only) })
		})
	}
}

// balanced: all that was sent was received or lost at a ring, and it was right.
func (b *bench) balanced(t *testing.T, o traffic.Outcome, lost uint64) {
	t.Helper()
	var sum traffic.FlowOutcome
	for i := range o.Flows {
		sum.Sent += o.Flows[i].Sent
		sum.Received += o.Flows[i].Received
		right(t, &o.Flows[i])
	}
	if sum.Sent != o.Sent || o.Sent != sum.Received+lost {
		t.Errorf("sent %d, by flow %d, received %d, lost at rings %d: %d are unaccounted for",
			o.Sent, sum.Sent, sum.Received, lost, int64(o.Sent-sum.Received-lost))
	}
}

// right: what arrived is as it should be, and each packet has its latency.
func right(t *testing.T, o *traffic.FlowOutcome) {
	t.Helper()
	if len(o.Wrong) > 0 || o.Duplicates > 0 || o.Reordered > 0 {
		t.Errorf("wrong %v, duplicates %d, reordered %d, want none; specimen %x", o.Wrong, o.Duplicates, o.Reordered, o.Specimen)
	}
	if o.Latency.Count != o.Received || o.Actual.Count != o.Received {
		t.Errorf("%d latencies and %d from the actual time of %d received", o.Latency.Count, o.Actual.Count, o.Received)
	}
	if o.Received > 0 && (o.Latency.Min > o.Latency.Quantile(0.5) || o.Latency.Max > uint64(10*time.Second)) {
		t.Errorf("latencies from %d to %d ns, median %d", o.Latency.Min, o.Latency.Max, o.Latency.Quantile(0.5))
	}
}

func (b *bench) paced(t *testing.T, only traffic.Sequence) {
	e, n := b.engine, only[0].Flow
	s := traffic.Schedule{PPS: 10_000, Duration: 500 * time.Millisecond, Warmup: 50 * time.Millisecond,
		Quiet: 50 * time.Millisecond, Sequence: only}
	before := b.lost(t)
	var began, ended int
	o, err := e.Run(t.Context(), s, traffic.Marks{Quiet: func() { began++; before = b.lost(t) }, End: func() { ended++ }})
	if err != nil {
		t.Fatal(err)
	}
	if o.Intended != 5000 || o.Sent != 5000 {
		t.Errorf("intended %d, sent %d, want 5000", o.Intended, o.Sent)
	}
	if began != 1 || ended != 1 {
		t.Errorf("begin was called %d times, end %d", began, ended)
	}
	if o.Lateness.Count != o.Sent {
		t.Errorf("%d lateness values for %d frames", o.Lateness.Count, o.Sent)
	}
	f, was := o.Flows[n], e.sources[0].flows[n]
	if want := f.Received * uint64(was.RxFrameBytes(was.Streams[0], 0)); f.ReceivedBytes != want {
		t.Errorf("received %d bytes, want %d", f.ReceivedBytes, want)
	}
	if want := o.Sent * uint64(was.FrameBytes(was.Streams[0], 0)); f.SentBytes != want || f.Sent != o.Sent {
		t.Errorf("sent %d, %d bytes, of %d, want %d bytes", f.Sent, f.SentBytes, o.Sent, want)
	}
	if math.Abs(o.SendSeconds-0.5) > 0.05 {
		t.Errorf("sending took %.3f s, want 0.5", o.SendSeconds)
	}
	b.balanced(t, o, b.lost(t)-before)
	if sent, received := e.Live(); sent != o.Sent || received != f.Received {
		t.Errorf("Live gives %d sent, %d received after a trial of %d, %d", sent, received, o.Sent, f.Received)
	}
}

func (b *bench) unpaced(t *testing.T, only traffic.Sequence) {
	before := b.lost(t)
	o, err := b.engine.Run(t.Context(), traffic.Schedule{Duration: 150 * time.Millisecond, Sequence: only}, traffic.Marks{})
	if err != nil {
		t.Fatal(err)
	}
	if o.Sent < 10_000 || o.Intended != o.Sent {
		t.Errorf("intended %d, sent %d in 150 ms unpaced", o.Intended, o.Sent)
	}
	b.balanced(t, o, b.lost(t)-before)
}

// late starts when a part of the schedule is past: the slots missed are sent,
// and they are called late.
func (b *bench) late(t *testing.T, only traffic.Sequence) {
	e := b.engine
	const pps, behind = 2000, 160 * time.Millisecond
	s := traffic.Schedule{PPS: pps, Duration: 2 * time.Second, Sequence: only}
	before := b.lost(t)
	o := e.runLate(t, s, behind)
	if o.Sent != o.Intended || o.Intended != 4000 {
		t.Errorf("sent %d of %d, want all 4000", o.Sent, o.Intended)
	}
	if missed := uint64(pps * (behind - startLead) / time.Second); o.LateSlots < missed {
		t.Errorf("%d slots were late, want at least %d", o.LateSlots, missed)
	}
	if o.Lateness.Max < uint64(behind-startLead) {
		t.Errorf("the latest was %v late, want at least %v", time.Duration(o.Lateness.Max), behind-startLead)
	}
	f := o.Flows[only[0].Flow]
	if f.Received > 0 && f.Latency.Max < uint64(behind-startLead) && b.lost(t) == before {
		t.Errorf("latency is at most %v: it does not count from the intended time", time.Duration(f.Latency.Max))
	}
	b.balanced(t, o, b.lost(t)-before)
}

// runLate moves the schedule back, once it has begun: all slots of that time are late.
func (e *Engine) runLate(t *testing.T, s traffic.Schedule, d time.Duration) traffic.Outcome {
	t.Helper()
	o, err := e.Run(t.Context(), s, traffic.Marks{Start: func() {
		c := &e.sources[0].control
		c.Start -= uint64(d)
		c.End -= uint64(d)
		if err := e.sources[0].current.Load().write(*c, c.Start); err != nil {
			t.Error(err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A trial waits until the counters are read in the silence before it.
func (b *bench) waits(t *testing.T, only traffic.Sequence) {
	const reading = 150 * time.Millisecond
	var counted uint64
	s := traffic.Schedule{PPS: 10_000, Duration: 100 * time.Millisecond, Warmup: 20 * time.Millisecond, Sequence: only}
	o, err := b.engine.Run(t.Context(), s, traffic.Marks{
		Quiet: func() { time.Sleep(reading); counted, _ = b.engine.Live() }, // reading takes so long
	})
	if err != nil {
		t.Fatal(err)
	}
	if counted != 0 || o.Sent != o.Intended || o.Intended != 1000 {
		t.Errorf("%d frames of the trial were sent before the counters were read; %d of %d in all", counted, o.Sent, o.Intended)
	}
}

func (b *bench) cancelled(t *testing.T, only traffic.Sequence) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	before, ended := b.lost(t), make(chan time.Time, 1)
	o, err := b.engine.Run(ctx, traffic.Schedule{PPS: 1000, Duration: time.Minute, Sequence: only}, traffic.Marks{Start: func() {
		go func() {
			wait.Until(30*time.Second, 10*time.Millisecond, func() bool {
				sent, _ := b.engine.Live()
				return sent > 0 || ctx.Err() != nil
			})
			ended <- time.Now()
			cancel()
		}()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want the context's", err)
	}
	if took := time.Since(<-ended); took > 3*time.Second {
		t.Errorf("it returned after %v", took)
	}
	if o.Sent == 0 || o.Sent >= o.Intended {
		t.Errorf("sent %d of %d, want a part", o.Sent, o.Intended)
	}
	b.balanced(t, o, b.lost(t)-before)
}

// A generator that comes too late for its whole trial gives up and says how far
// it came, rather than to send after the trial's end.
func TestEngineGivesUp(t *testing.T) {
	b := newBench(t)
	e := b.engine
	s := traffic.Schedule{PPS: 1e6, Duration: 10 * time.Second}
	start := time.Now()
	o := e.runLate(t, s, time.Minute) // the trial is over when it has begun
	if o.Sent >= o.Intended || time.Since(start) > 2*time.Second {
		t.Errorf("sent %d of %d in %v, want to give up", o.Sent, o.Intended, time.Since(start))
	}
}

// Each trial starts its streams at 0: nothing of the one before counts.
func TestEngineTrialsAreApart(t *testing.T) {
	b := newBench(t)
	e := b.engine
	for i := range 3 {
		o, err := e.Run(t.Context(), traffic.Schedule{PPS: 5000, Duration: 100 * time.Millisecond, Sequence: traffic.Only(1, 0)}, traffic.Marks{})
		if err != nil {
			t.Fatal(err)
		}
		f := o.Flows[1]
		if f.Sent != 500 || f.Received > f.Sent || f.Latency.Count != f.Received {
			t.Errorf("trial %d: sent %d, received %d, %d latencies", i, f.Sent, f.Received, f.Latency.Count)
		}
	}
}
